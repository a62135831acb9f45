"""Some columns of a row at a time, as one value that stays in the processor's registers.

A compiled loop over columns inside a loop over rows begins anew in each row: it asks whether arrays overlap, and reads
and writes its sums. Here a loop over rows has its columns in registers, 64 of them, or as many as there are up to 16.
LLVM makes of 64 columns as many registers as the machine needs for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

WIDE = 64
"""Columns of a vector where all of them are there."""
NARROW = 16
"""Columns of a vector otherwise; what lies past the last column is neither read nor written."""
_INT, _WORD = ir.IntType(32), ir.IntType(64)


class _Lanes(types.Opaque):
    """How many columns a vector has: known when a loop is compiled."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Lanes({count})")


register_model(_Lanes)(models.OpaqueModel)


def _lanes(count: int) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_dummy_value()

    return intrinsic(lambda typingctx: (_Lanes(count)(), build))


_wide, _narrow = _lanes(WIDE), _lanes(NARROW)


def in_columns(body: Callable[..., None]) -> Callable[..., None]:
    """A loop over rows for all columns, from one for columns j …: ``body(lanes, j, …)`` becomes ``f(width, …)``.

    It can be called in compiled code alone.
    """
    compiled = njit(nogil=True, cache=True)(body)

    def everywhere(width: int, *arrays: Any) -> None:
        raise NotImplementedError

    @overload(everywhere)
    def _compiled(width: int, *arrays: Any) -> Callable[..., None]:
        def by_vectors(width: int, *arrays: Any) -> None:
            whole = width - width % WIDE
            for j in range(0, whole, WIDE):
                compiled(_wide(), j, *arrays)
            for j in range(whole, width, NARROW):
                compiled(_narrow(), j, *arrays)

        return by_vectors

    return everywhere


class _Columns(types.Type):
    """Some columns of a row."""

    def __init__(self, dtype: Any, lanes: int) -> None:
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Columns({dtype}, {lanes})")


@register_model(_Columns)
class _Registers(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(dmm.lookup(fe_type.dtype).get_value_type(), fe_type.lanes))


def _same(builder: Any, value: Any, lanes: int) -> Any:
    """One value in all lanes."""
    one = builder.insert_element(ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined), value, _INT(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INT, lanes), [0] * lanes))


def _address(context: Any, builder: Any, kind: Any, where: Any, lanes: int) -> tuple[Any, Any]:
    """A pointer to columns j … of row i of an array, and which of them are there; None where all are."""
    array, i, j = where
    made = context.make_array(kind)(context, builder, array)
    strides, shape = cgutils.unpack_tuple(builder, made.strides), cgutils.unpack_tuple(builder, made.shape)
    row = builder.gep(builder.bitcast(made.data, ir.IntType(8).as_pointer()), [builder.mul(i, strides[0])])
    data = builder.gep(builder.bitcast(row, made.data.type), [j])
    there = None
    if lanes != WIDE:
        number = builder.add(_same(builder, j, lanes), ir.Constant(ir.VectorType(_WORD, lanes), list(range(lanes))))
        there = builder.icmp_signed("<", number, _same(builder, shape[-1], lanes))
    return builder.bitcast(data, ir.VectorType(data.type.pointee, lanes).as_pointer()), there


def _known(builder: Any, name: str, result: Any, *kinds: Any) -> Any:
    """A function that LLVM knows."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, kinds), name)


def _suffix(vector: Any) -> str:
    return f"v{vector.count}f{32 if isinstance(vector.element, ir.FloatType) else 64}"


@intrinsic
def load(typingctx: Any, lanes: Any, array: Any, i: Any, j: Any) -> Any:
    """Columns j … of row i."""
    count = lanes.count

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, there = _address(context, builder, signature.args[1], args[1:], count)
        size, vector = signature.args[1].dtype.bitwidth // 8, pointer.type.pointee
        if there is None:
            return builder.load(pointer, align=size)
        kinds = pointer.type, _INT, there.type, vector
        call = _known(builder, f"llvm.masked.load.{_suffix(vector)}.p0", vector, *kinds)
        return builder.call(call, [pointer, _INT(size), there, ir.Constant(vector, [0.0] * count)])

    return _Columns(array.dtype, count)(lanes, array, types.int64, types.int64), build


@intrinsic
def store(typingctx: Any, array: Any, i: Any, j: Any, value: Any) -> Any:
    """Write columns j … of row i."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        *where, vector = args
        pointer, there = _address(context, builder, signature.args[0], where, value.lanes)
        size = value.dtype.bitwidth // 8
        if there is None:
            builder.store(vector, pointer, align=size)
        else:
            kinds = vector.type, pointer.type, _INT, there.type
            call = _known(builder, f"llvm.masked.store.{_suffix(vector.type)}.p0", ir.VoidType(), *kinds)
            builder.call(call, [vector, pointer, _INT(size), there])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, value), build


@intrinsic
def zeros(typingctx: Any, lanes: Any, array: Any) -> Any:
    """Zeros, of the type of an array."""
    kind = _Columns(array.dtype, lanes.count)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(context.get_value_type(kind), [0.0] * kind.lanes)

    return kind(lanes, array), build


@intrinsic
def spread(typingctx: Any, number: Any, like: Any) -> Any:
    """One number in all columns."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _same(builder, args[0], like.lanes)

    return like(like.dtype, like), build


def _operation(vectors: int, build: Callable[..., Any]) -> Any:
    """An operation on so many vectors of one type: ``build(builder, *vectors)`` writes it."""

    def run(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return build(builder, *args)

    typed: tuple[Callable[..., Any], ...] = (
        lambda typingctx, a: (a(a), run),
        lambda typingctx, a, b: (a(a, b), run),
        lambda typingctx, a, b, c: (a(a, b, c), run),
    )
    return intrinsic(typed[vectors - 1])


def _times_plus(builder: Any, *given: Any) -> Any:
    vector = given[0].type
    return builder.call(_known(builder, f"llvm.fmuladd.{_suffix(vector)}", vector, *[vector] * 3), given)


def _where(builder: Any, comparison: str, test: Any, then: Any, otherwise: Any) -> Any:
    """One value where a test holds against 0, else another; None is 0."""
    zero = ir.Constant(test.type, [0.0] * test.type.count)
    return builder.select(builder.fcmp_ordered(comparison, test, zero), then or zero, otherwise or zero)


plus = _operation(2, lambda builder, a, b: builder.fadd(a, b))
minus = _operation(2, lambda builder, a, b: builder.fsub(a, b))
times_plus = _operation(3, _times_plus)
"""a b + c, as one operation where the processor has one."""
where_positive = _operation(2, lambda builder, a, test: _where(builder, ">", test, a, None))
"""The value where the test is above 0, else 0."""
relu = _operation(1, lambda builder, a: _where(builder, "<", a, None, a))
"""max(value, 0); what is not a number stays so, and is noticed."""
