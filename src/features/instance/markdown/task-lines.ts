/** Tasks of task lists in the source of a text: where each stands, and ticking it there. */
import { createHash } from 'node:crypto'

/** Marks of quotes and lists, the last of which may stand on the line before, and the box. */
const task = /^((?:[\s>]|(?:[-*+]|\d{1,9}[.)])(?=\s))*)\[([ xX])\](?=\s|$)/

export interface TaskLine {
  /** Names the task: the number of its line, and a digest of what is written there, but for its state. */
  place: string
  isDone: boolean
}

/** The task on a line; null where there is none. */
export function taskAt(lines: readonly string[], index: number): TaskLine | null {
  const line = (lines[index] ?? '').trimEnd()
  const [whole = '', before = '', state = ''] = task.exec(line) ?? []
  if (whole === '') return null
  const digest = createHash('sha256')
    .update(`${before}${line.slice(whole.length)}`)
    .digest('hex')
    .slice(0, 12)
  return { place: `${index}-${digest}`, isDone: state !== ' ' }
}

/** A text with a task done or to do; null where the task isn't there any more, or is another. Nothing else is changed. */
export function withTask(text: string, place: string, isDone: boolean): string | null {
  // Line breaks stay as they are.
  const parts = text.replace(/^\ufeff/, '').split(/(\r\n|\r|\n)/)
  const lines = parts.filter((_, index) => index % 2 === 0)
  const index = Number.parseInt(place, 10)
  if (taskAt(lines, index)?.place !== place) return null
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  parts[2 * index] = (lines[index] ?? '').replace(task, (_, before: string) => `${before}[${isDone ? 'x' : ' '}]`)
  return mark + parts.join('')
}
