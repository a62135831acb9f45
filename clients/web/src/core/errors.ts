/** Errors whose messages may be shown: they hold nothing private. */

/** A message of the other side, or a value for it, that the wire format does not have. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** A draw that was asked for with values that it cannot take. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
}
