/** Reads JSON without building it: a value takes two bytes as text, and sixty as an object. */

const backslash = 0x5c
const space = /\s/
const number = /\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*[,}]/y

/** The position of the quote that ends the string that begins at `start`; -1 without one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return -1
}

/** Whether a JSON text has at most so many values, names included. Text that is not JSON may have any number. */
export function hasAtMostValues(text: string, max: number): boolean {
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        if (at < 0) return true
        break
      case ',':
      case ':':
      case '{':
      case '[':
        values += 1
        if (values > max) return false
    }
  }
  return true
}

/**
 * The number with this name in the outermost object; null if the text is no object, or has no such number. Only the nesting is checked of
 * everything else.
 */
export function numberInObject(text: string, name: string): number | null {
  let depth = 0
  let found: number | null = null
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (depth === 0 && character !== '{' && !space.test(character)) return null
    switch (character) {
      case '"': {
        const end = endOfString(text, at)
        if (end < 0) return null
        if (depth === 1 && end - at - 1 === name.length && text.startsWith(name, at + 1)) {
          number.lastIndex = end + 1
          const [, digits] = number.exec(text) ?? []
          if (digits !== undefined) found = Number(digits)
        }
        at = end
        break
      }
      case '{':
      case '[':
        depth += 1
        break
      case '}':
      case ']':
        depth -= 1
    }
  }
  return depth === 0 ? found : null
}
