/** Limits of titles and descriptions. */
import { assertValid, blankError, lengthError } from '../../../validation.ts'

const maxTitle_chars = 255
const maxDescription_chars = 1_048_576

interface Texts {
  title?: string | undefined
  description?: string | null | undefined
}

/** Throws 400 for a blank title, and for a too long title or description. */
export function assertTexts({ title, description }: Texts): void {
  assertValid({
    title: title === undefined ? null : (blankError(title) ?? lengthError(title, maxTitle_chars)),
    description: lengthError(description ?? '', maxDescription_chars),
  })
}
