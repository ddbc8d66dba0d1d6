/** Failures as a git client shows them to its user: sentences. */
import type { Failure } from '../failure.ts'

/** Complaints field by field become sentences: `Path tree is a reserved name.` */
export function inWords({ message, body }: Failure): string {
  // Clients of the API know a failure of the server by its status before the words.
  if (typeof body.message !== 'object') return message.replace(/^5\d\d /, '')
  return Object.entries(body.message as Record<string, string[]>)
    .flatMap(([field, complaints]) => complaints.map((complaint) => `${field} ${complaint}`))
    .map((sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`)
    .join('\n')
}
