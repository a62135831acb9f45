"""A few vector instructions at a time: sixteen blocks of Philox, and the places of four strangers."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from graphldp.mechanisms.drawing.streams import MULTIPLIER, ROUNDS, WEYL

BLOCKS = 16
"""Blocks of Philox that are drawn side by side: two vectors or more, so that one is worked on while another waits."""
SIXTEEN = 16
"""Neighbours that one stranger is compared with."""
_WORD, _INT = ir.IntType(64), ir.IntType(32)
_FOUR = ir.VectorType(_INT, 4)
_WORDS = types.Array(types.uint64, 1, "C")
_INTS = types.Array(types.int32, 1, "C")


def _same(builder: Any, value: Any, lanes: int) -> Any:
    """One value in all lanes."""
    kind = ir.VectorType(value.type, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_INT, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INT, lanes), [0] * lanes))


def _at(context: Any, builder: Any, kind: Any, array: Any, place: Any, vector: Any) -> Any:
    """A pointer to some entries of an array, as a vector."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), vector.as_pointer())


def _product(builder: Any, x: Any, multiplier: int) -> tuple[Any, Any]:
    """High and low words of products, from 32-bit halves as in :mod:`graphldp.mechanisms.drawing.streams`."""
    low, high, mask, half = (
        ir.Constant(x.type, [number] * BLOCKS) for number in (multiplier & 0xFFFFFFFF, multiplier >> 32, 0xFFFFFFFF, 32)
    )
    x_low, x_high = builder.and_(x, mask), builder.lshr(x, half)
    least = builder.mul(x_low, low)
    cross = builder.add(builder.mul(x_high, low), builder.lshr(least, half))
    middle = builder.add(builder.mul(x_low, high), builder.and_(cross, mask))
    top = builder.add(builder.mul(x_high, high), builder.add(builder.lshr(cross, half), builder.lshr(middle, half)))
    return top, builder.or_(builder.shl(middle, half), builder.and_(least, mask))


@intrinsic
def sixteen_blocks(
    typingctx: Any, counters: Any, room: Any, first: Any, key_low: Any, key_high: Any, words: Any
) -> Any:
    """Draw sixteen blocks of words.

    Part i of block b's counter stands at ``counters[i * room + b]``, its words from ``words[4 * b]`` on.
    """
    vector = ir.VectorType(_WORD, BLOCKS)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, room, first, *keys, out = args
        parts = []
        for part in range(4):
            place = builder.add(first, builder.mul(room, ir.Constant(_WORD, part)))
            parts.append(builder.load(_at(context, builder, signature.args[0], array, place, vector), align=8))
        state = [cgutils.alloca_once_value(builder, part) for part in parts]
        used = [cgutils.alloca_once_value(builder, _same(builder, key, BLOCKS)) for key in keys]
        rounds = (ir.Constant(_WORD, number) for number in (0, ROUNDS, 1))  # written out, they take seconds to compile
        with cgutils.for_range_slice(builder, *rounds):
            a, b, c, d = (builder.load(part) for part in state)
            k0, k1 = (builder.load(key) for key in used)
            high0, low0 = _product(builder, a, MULTIPLIER[0])
            high1, low1 = _product(builder, c, MULTIPLIER[1])
            new = builder.xor(builder.xor(high1, b), k0), low1, builder.xor(builder.xor(high0, d), k1), low0
            for value, part in zip(new, state, strict=True):
                builder.store(value, part)
            for value, key, weyl in zip((k0, k1), used, WEYL, strict=True):
                builder.store(builder.add(value, ir.Constant(vector, [weyl] * BLOCKS)), key)
        a, b, c, d = (builder.load(part) for part in state)
        pairs = ir.Constant(ir.VectorType(_INT, 2 * BLOCKS), [i // 2 + BLOCKS * (i % 2) for i in range(2 * BLOCKS)])
        even, odd = builder.shuffle_vector(a, c, pairs), builder.shuffle_vector(b, d, pairs)
        turns = ir.Constant(ir.VectorType(_INT, 4 * BLOCKS), [i // 2 + 2 * BLOCKS * (i % 2) for i in range(4 * BLOCKS)])
        every = builder.shuffle_vector(even, odd, turns)
        place = builder.mul(first, ir.Constant(_WORD, 4))
        builder.store(every, _at(context, builder, signature.args[5], out, place, every.type), align=8)
        return context.get_dummy_value()

    return types.void(_WORDS, types.int64, types.int64, types.uint64, types.uint64, _WORDS), build


@intrinsic
def ask_four(typingctx: Any, counters: Any, room: Any, at: Any, block: Any, user: Any, graph: Any, stream: Any) -> Any:
    """Write the counters of a row's blocks ``block`` … ``block`` + 3."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, room, at, block, *who = args
        numbers = builder.add(_same(builder, block, 4), ir.Constant(ir.VectorType(_WORD, 4), [1, 2, 3, 4]))
        for part, values in enumerate((numbers, *(_same(builder, each, 4) for each in who))):
            place = builder.add(at, builder.mul(room, ir.Constant(_WORD, part)))
            builder.store(values, _at(context, builder, signature.args[0], array, place, values.type), align=8)
        return context.get_dummy_value()

    return types.void(_WORDS, types.int64, types.int64, *[types.uint64] * 4), build


@intrinsic
def sixteen_times(typingctx: Any, array: Any, at: Any, value: Any) -> Any:
    """Write one number sixteen times."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = _same(builder, args[2], 16)
        builder.store(values, _at(context, builder, signature.args[0], args[0], args[1], values.type), align=8)
        return context.get_dummy_value()

    return types.void(types.Array(types.float64, 1, "C"), types.int64, types.float64), build


@intrinsic
def stand_before(typingctx: Any, names: Any, begin: Any, degree: Any, user: Any, before: Any) -> Any:
    """How many of all others stand before each neighbour; returns how many neighbours stand before the user.

    Behind the last neighbour, ``before`` is filled up to four with 2^31 − 1.
    """

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        names, begin, degree, user, before = args
        far, own = ir.Constant(_FOUR, [2**31 - 1] * 4), _same(builder, user, 4)
        below = cgutils.alloca_once_value(builder, ir.Constant(_WORD, 0))
        load = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(_FOUR, [_FOUR.as_pointer(), _INT, ir.VectorType(ir.IntType(1), 4), _FOUR]),
            "llvm.masked.load.v4i32.p0",
        )
        with cgutils.for_range_slice(builder, ir.Constant(_WORD, 0), degree, ir.Constant(_WORD, 4)) as (first, _):
            number = builder.add(_same(builder, builder.trunc(first, _INT), 4), ir.Constant(_FOUR, [0, 1, 2, 3]))
            there = builder.icmp_signed("<", number, _same(builder, builder.trunc(degree, _INT), 4))
            pointer = _at(context, builder, signature.args[0], names, builder.add(begin, first), _FOUR)
            some = builder.call(load, [pointer, ir.Constant(_INT, 4), there, far])
            values = builder.select(there, builder.sub(some, number), far)
            builder.store(values, _at(context, builder, signature.args[4], before, first, _FOUR), align=4)
            smaller = builder.bitcast(builder.icmp_signed("<", some, own), ir.IntType(4))
            count = builder.ctpop(builder.zext(smaller, _WORD))
            builder.store(builder.add(builder.load(below), count), below)
        return builder.load(below)

    return types.int64(_INTS, types.int64, types.int64, types.int32, _INTS), build


@intrinsic
def places(
    typingctx: Any,
    skips: Any,
    at: Any,
    count: Any,
    rank: Any,
    strangers: Any,
    own_rank: Any,
    before: Any,
    degree: Any,
    room: Any,
    written: Any,
) -> Any:
    """Write the names of strangers, by ``count`` blocks of skips; returns the last one's rank and where they end.

    Skips add up to ranks, at most ``strangers``: that is nobody any more. A stranger stands behind each neighbour with
    ``before`` ≤ her rank among all but the neighbours.
    """
    both = types.UniTuple(types.int64, 2)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        skips, at, count, rank, strangers, own, before, degree, room, written = args
        most, own = _same(builder, strangers, 4), _same(builder, own, 4)
        zero, one = (ir.Constant(_FOUR, [number] * 4) for number in (0, 1))
        four = ir.Constant(_WORD, 4)
        last = cgutils.alloca_once_value(builder, _same(builder, rank, 4))
        end = cgutils.alloca_once_value(builder, written)
        place = cgutils.alloca_once_value(builder, zero)

        def least(x: Any, y: Any) -> Any:
            return builder.select(builder.icmp_signed("<", x, y), x, y)

        def plus(value: Any, truth: Any) -> Any:
            return builder.sub(value, builder.sext(truth, _FOUR))

        with cgutils.for_range_slice(builder, at, builder.add(at, builder.mul(count, four)), four) as (first, _):
            sums = least(builder.load(_at(context, builder, signature.args[0], skips, first, _FOUR), align=4), most)
            sums = builder.add(sums, one)
            for moved in ([4, 0, 1, 2], [4, 4, 0, 1]):
                sums = builder.add(sums, builder.shuffle_vector(sums, zero, ir.Constant(_FOUR, moved)))
            ranks = least(builder.add(sums, builder.load(last)), most)
            builder.store(builder.shuffle_vector(ranks, ranks, ir.Constant(_FOUR, [3] * 4)), last)
            other = plus(ranks, builder.icmp_signed(">=", ranks, own))
            builder.store(other, place)
            with cgutils.for_range_slice(builder, ir.Constant(_WORD, 0), degree, four) as (friend, _):
                values = builder.load(_at(context, builder, signature.args[6], before, friend, _FOUR), align=4)
                sofar = builder.load(place)
                for lane in range(4):
                    each = builder.shuffle_vector(values, values, ir.Constant(_FOUR, [lane] * 4))
                    sofar = plus(sofar, builder.icmp_signed("<=", each, other))
                builder.store(sofar, place)
            so_far = builder.load(end)
            target = _at(context, builder, signature.args[8], room, so_far, _FOUR)
            builder.store(builder.load(place), target, align=4)
            there = builder.bitcast(builder.icmp_signed("<", ranks, most), ir.IntType(4))
            builder.store(builder.add(so_far, builder.ctpop(builder.zext(there, _WORD))), end)
        rank = builder.sext(builder.extract_element(builder.load(last), ir.Constant(_INT, 0)), _WORD)
        return context.make_tuple(builder, both, (rank, builder.load(end)))

    whole, small = types.int64, types.int32
    return both(_INTS, whole, whole, small, small, small, _INTS, whole, _INTS, whole), build


@intrinsic
def at_most(typingctx: Any, values: Any, first: Any, rank: Any) -> Any:
    """How many of sixteen values from ``first`` on are at most ``rank``."""
    lanes = ir.VectorType(_INT, SIXTEEN)

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        some = builder.load(_at(context, builder, signature.args[0], args[0], args[1], lanes), align=4)
        below = builder.icmp_signed("<=", some, _same(builder, args[2], SIXTEEN))
        return builder.zext(builder.ctpop(builder.bitcast(below, ir.IntType(SIXTEEN))), _WORD)

    return types.int64(_INTS, types.int64, types.int32), build
