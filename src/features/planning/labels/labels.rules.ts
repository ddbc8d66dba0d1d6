/** Validates names, colors and priorities of labels. */
import colorNames from 'color-name'
import { blankError, lengthError } from '../../../validation.ts'

const maxTitle_chars = 255
const maxDescription_chars = 1_000_000

/** Lists of labels are separated by commas, so titles can't contain any. */
export function titleError(title: string): string | null {
  if (blankError(title) !== null) return blankError(title)
  return title.includes(',') || /\p{Cc}/u.test(title) ? 'is invalid' : lengthError(title, maxTitle_chars)
}

export function descriptionError(description: string | null): string | null {
  return lengthError(description ?? '', maxDescription_chars)
}

/** The stored form of a color: `#` and three or six hexadecimal digits as sent, or those of a CSS color name. Null for anything else. */
export function parseColor(text: string): string | null {
  const written = text.trim()
  if (/^#(?:[0-9a-f]{3}){1,2}$/i.test(written)) return written
  const rgb = Object.hasOwn(colorNames, written.toLowerCase()) ? colorNames[written.toLowerCase() as keyof typeof colorNames] : null
  return rgb && `#${rgb.map((part) => part.toString(16).padStart(2, '0').toUpperCase()).join('')}`
}

/** Dark text on light labels, light text on dark ones, by perceived brightness. */
export function textColorOn(color: string): '#333333' | '#FFFFFF' {
  const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit) : (color.slice(1).match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0] = digits.map((pair) => Number.parseInt(pair, 16))
  return 0.299 * red + 0.587 * green + 0.114 * blue > 160 ? '#333333' : '#FFFFFF'
}
