/** Interprets plain scalars as Ruby does (YAML 1.1), since existing files were written for that. */

const yes = /^(yes|true|on)$/i
const no = /^(no|false|off)$/i
const nothing = /^(~|null|)$/i
const octal = /^[-+]?0[0-7_,]+$/
const decimal = /^[-+]?(0|[1-9]([0-9]|[,_][0-9])*)$/
const prefixed = /^([-+]?)0([xb])([0-9a-f_,]+)$/i
const float = /^[-+]?([0-9][0-9_,]*)?\.[0-9]*(e[-+][0-9]+)?$/i
const sixties = /^([-+]?)([0-9]+)(:[0-5]?[0-9]){1,2}$/

export function plainScalar(text: string): null | boolean | number | string {
  // Most scalars are commands and names.
  if (text.length > 40) return text
  if (nothing.test(text)) return null
  if (yes.test(text)) return true
  if (no.test(text)) return false
  return /[0-9]/.test(text) ? number(text) : text
}

function number(text: string): number | string {
  const digits = text.replace(/[_,]/g, '')
  if (octal.test(text)) return exact(Number.parseInt(digits, 8), text)
  if (decimal.test(text)) return exact(Number(digits), text)
  if (sixties.test(text)) return sexagesimal(digits)
  const [, sign, base, value = ''] = prefixed.exec(digits) ?? []
  if (base !== undefined) return exact(prefixedNumber(sign, base, value), text)
  if (float.test(text) && digits !== '.') return asFloat(Number(digits), text)
  return text
}

function prefixedNumber(sign: string | undefined, base: string, value: string): number {
  const found = Number(`0${base}${value}`)
  return sign === '-' ? -found : found
}

/** A number that can't be represented exactly is kept as text. */
const exact = (value: number, text: string) => (Number.isSafeInteger(value) ? value : text)

/** `1.0` would be printed as `1`, which no author of a CI file means, so it is kept as text. */
function asFloat(value: number, text: string): number | string {
  if (!Number.isFinite(value)) return text
  return Number.isInteger(value) ? `${value}.0` : value
}

/** `1:30` is 90 in YAML 1.1. */
function sexagesimal(digits: string): number {
  const negative = digits.startsWith('-')
  const value = digits
    .replace(/^[-+]/, '')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
  return negative ? -value : value
}
