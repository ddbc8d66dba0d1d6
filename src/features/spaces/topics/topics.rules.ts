/** Validates the names of topics. */
import { lengthError } from '../../../validation.ts'

const longest = 255

/** Control characters, and unpaired surrogates. */
const control = /[\p{Cc}\p{Cs}]/u

export function topicError(name: string): string | null {
  return lengthError(name, longest) ?? (control.test(name) ? 'cannot contain control characters' : null)
}
