/** Validators for values of settings, which already have the right type. */
import { isUrl } from '../../../text/parse-url.ts'

/** The error of a URL for users: it must be HTTP or HTTPS. */
export function urlError(value: string): string | null {
  return isUrl(value) && /^https?:\/\/[^\s/]\S*$/i.test(value) ? null : 'must be a valid URL'
}

/** The error of a URL for users: HTTP, or a path of this server. A second slash or a backslash would lead to another server. */
export function pathError(value: string): string | null {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(value) ? null : urlError(value)
}

export function emailError(value: string): string | null {
  return /^[^@\s<>]+@[^@\s<>]+$/.test(value) ? null : 'is invalid'
}

export function hostnameError(value: string): string | null {
  return /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/i.test(value) ? null : 'is not a fully qualified domain name'
}

export function regexError(value: string): string | null {
  try {
    new RegExp(value, 'i')
    return null
  } catch {
    return 'is not a valid regular expression'
  }
}

const unit = /^(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?|y|yrs?|years?)$/i

/** `30 days`, `2h 20min`, `6 mos and 1 day`; a plain number means seconds. */
export function durationError(value: string): string | null {
  const words = value.match(/\d+(\.\d+)?|[a-z]+|[^\sa-z\d,]+/gi)?.filter((word) => word.toLowerCase() !== 'and') ?? []
  const right = words.every((word, index) => (index % 2 === 0 ? /^\d/.test(word) : unit.test(word)))
  return words.length > 0 && right && (words.length % 2 === 0 || words.length === 1) ? null : 'is not a correct duration'
}
