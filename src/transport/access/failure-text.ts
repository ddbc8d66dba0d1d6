/** Failures as text for git clients. */
import { type Failure, plainWords } from '../../failure.ts'

/** Converts field errors to sentences: `Path tree is a reserved name.` */
export function inWords(failure: Failure): string {
  const { body } = failure
  if (typeof body.message !== 'object') return plainWords(failure)
  return Object.entries(body.message as Record<string, string[]>)
    .flatMap(([field, fieldErrors]) => fieldErrors.map((fieldError) => `${field} ${fieldError}`))
    .map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`)
    .join('\n')
}
