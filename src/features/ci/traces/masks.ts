/** Masks values in the bytes of a trace. Pure functions; a value is replaced by as many `x`, so that offsets don't change. */

const x = 'x'.charCodeAt(0)

/** The bytes without the values: a copy if they contain one, otherwise the same buffer. Values may overlap. */
export function hideMasked(bytes: Buffer, masks: readonly Buffer[]): Buffer {
  let hidden: Buffer | null = null
  for (const mask of masks) {
    for (let at = bytes.indexOf(mask); at >= 0; at = bytes.indexOf(mask, at + 1)) {
      hidden ??= Buffer.from(bytes)
      hidden.fill(x, at, at + mask.length)
    }
  }
  return hidden ?? bytes
}

/** How many bytes at the end could be the beginning of an incomplete value. */
export function heldBack(bytes: Buffer, masks: readonly Buffer[]): number {
  let held = 0
  for (const mask of masks) {
    for (let length = Math.min(mask.length - 1, bytes.length); length > held; length -= 1) {
      const start = bytes.length - length
      if (bytes[start] === mask[0] && bytes.compare(mask, 0, length, start, bytes.length) === 0) held = length
    }
  }
  return held
}

/** How far before new bytes a value may begin that ends in them. */
export function reachOf(masks: readonly Buffer[]): number {
  return Math.max(0, ...masks.map(({ length }) => length - 1))
}
