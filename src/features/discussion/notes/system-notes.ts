/** System notes: texts that the server adds to something when it changes, as clients know them. Pure. */
import type { Day, IssuableName } from '../../../db/tables.ts'
import { kindOf } from '../../noteable-kinds.ts'
import { humanDuration } from '../../planning/issuables/issuables.ts'

/** The type of a system note, which determines its icon and lets readers tell them apart. */
export type SystemAction =
  | 'approved'
  | 'assignee'
  | 'branch'
  | 'cloned'
  | 'closed'
  | 'confidential'
  | 'cross_reference'
  | 'commit'
  | 'description'
  | 'discussion'
  | 'due_date'
  | 'duplicate'
  | 'locked'
  | 'merge'
  | 'merged'
  | 'milestone'
  | 'moved'
  | 'opened'
  | 'outdated'
  | 'relate'
  | 'reviewer'
  | 'unrelate'
  | 'tag'
  | 'task'
  | 'time_tracking'
  | 'title'
  | 'unapproved'
  | 'unlocked'
  | 'visible'

export interface SystemText {
  action: SystemAction
  body: string
}

/** A referenced thing, with its project. */
export interface Referred {
  iid: number
  /** Full path of its project. */
  project_path: string
}

/** `#5` or `!5` in its own project, `name#5` in the same namespace, otherwise with the full path. */
export function noteableReference(kind: IssuableName, { iid, project_path }: Referred, seenFrom: string): string {
  return `${projectReference(project_path, seenFrom)}${kindOf({ kind }).sign}${iid}`
}

/** The project part of a reference: nothing in the project itself, its name in its namespace, its full path elsewhere. */
export function projectReference(path: string, seenFrom: string): string {
  if (path === seenFrom) return ''
  const [namespace, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)]
  return namespace === seenFrom.slice(0, seenFrom.lastIndexOf('/')) ? name : path
}

/** `@ann, @bob, and @eve` */
export function sentenceOf(usernames: string[]): string {
  const names = usernames.map((name) => `@${name}`)
  if (names.length < 3) return names.join(' and ')
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`
}

export function assigneesText(added: string[], removed: string[]): SystemText {
  const parts = [added.length > 0 && `assigned to ${sentenceOf(added)}`, removed.length > 0 && `unassigned ${sentenceOf(removed)}`]
  return { action: 'assignee', body: parts.filter((part) => part !== false).join(' and ') }
}

/** A project's milestone by number, a group's by title; null if it was removed. */
export function milestoneText(milestone: { iid: number; title: string; namespace_id: number | null } | null): SystemText {
  if (!milestone) return { action: 'milestone', body: 'removed milestone' }
  const byTitle = milestone.namespace_id !== null && !milestone.title.includes('"')
  return { action: 'milestone', body: `changed milestone to %${byTitle ? `"${milestone.title}"` : milestone.iid}` }
}

const months = 'January February March April May June July August September October November December'.split(' ')

export function dueDateText(day: Day | null): SystemText {
  if (day === null) return { action: 'due_date', body: 'removed due date' }
  const [year, month, date] = day.split('-').map(Number)
  return { action: 'due_date', body: `changed due date to ${months[(month ?? 1) - 1]} ${date}, ${year}` }
}

export function estimateText(seconds: number): SystemText {
  const body = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanDuration(seconds)}`
  return { action: 'time_tracking', body }
}

/** @param seconds null if all of it was removed */
export function timeSpentText(seconds: number | null, day: Day | null): SystemText {
  if (seconds === null) return { action: 'time_tracking', body: 'removed time spent' }
  const body = `${seconds > 0 ? 'added' : 'subtracted'} ${humanDuration(Math.abs(seconds)) ?? '0h'} of time spent`
  return { action: 'time_tracking', body: day === null ? body : `${body} at ${day}` }
}

/** Differences are marked: `{-…-}` in the old title, `{+…+}` in the new one. */
export function titleText(before: string, after: string): SystemText {
  const [from, to] = [[...before], [...after]]
  const start = commonStart(from, to)
  const end = commonStart(from.slice(start).reverse(), to.slice(start).reverse())
  return { action: 'title', body: `changed title from **${marked(from, start, end, '-')}** to **${marked(to, start, end, '+')}**` }
}

function commonStart(one: string[], other: string[]): number {
  const differs = one.findIndex((char, index) => char !== other[index])
  return differs === -1 ? one.length : differs
}

function marked(chars: string[], start: number, end: number, sign: string): string {
  const middle = chars.slice(start, chars.length - end).join('')
  const mark = middle === '' ? '' : `{${sign}${middle}${sign}}`
  return chars.slice(0, start).join('') + mark + chars.slice(chars.length - end).join('')
}

const task = /^\s*(?:[-+*]|\d+\.)\s+\[([\sxX])\]\s+(\S.*)$/
/** Beyond this number, a change is described as one of the description. */
const maxTasks = 50

function tasksOf(markdown: string | null): Array<{ label: string; isDone: boolean }> {
  const found = (markdown ?? '').split('\n').map((line) => task.exec(line))
  return found.flatMap((match) => (match ? [{ label: (match[2] ?? '').trimEnd(), isDone: /x/i.test(match[1] ?? '') }] : []))
}

/** One text per checked or unchecked task; if there is none, one for the description as a whole. */
export function descriptionTexts(before: string | null, after: string | null): SystemText[] {
  const old = tasksOf(before)
  const ticked = tasksOf(after).filter(({ label, isDone }, index) => old[index]?.label === label && old[index].isDone !== isDone)
  if (ticked.length === 0 || ticked.length > maxTasks) return [{ action: 'description', body: 'changed the description' }]
  return ticked.map(({ label, isDone }) => ({
    action: 'task',
    body: `marked the task **${label}** as ${isDone ? 'completed' : 'incomplete'}`,
  }))
}

export function confidentialText(isConfidential: boolean): SystemText {
  return isConfidential
    ? { action: 'confidential', body: 'made the issue confidential' }
    : { action: 'visible', body: 'made the issue visible to everyone' }
}

export function lockText(kind: IssuableName, isLocked: boolean): SystemText {
  const action = isLocked ? 'locked' : 'unlocked'
  return { action, body: `${action} this ${kindOf({ kind }).noun}` }
}

/** @param via what closed it, such as `commit ` and its id; null if a user did */
export function stateText(state: 'opened' | 'closed', via: string | null): SystemText {
  if (state === 'opened') return { action: 'opened', body: 'reopened' }
  return { action: 'closed', body: via === null ? 'closed' : `closed via ${via}` }
}

/** A reference to a commit in system notes. */
export function commitReference(oid: string, project_path: string, seenFrom: string): string {
  const project = projectReference(project_path, seenFrom)
  return `commit ${project === '' ? '' : `${project}@`}${oid}`
}

export function copiedText(action: 'moved' | 'cloned', direction: 'to' | 'from', reference: string): SystemText {
  return { action, body: `${action} ${direction} ${reference}` }
}

/** For the duplicate, and for the original issue. */
export function duplicateText(original: string): SystemText {
  return { action: 'duplicate', body: `marked this issue as a duplicate of ${original}` }
}

export function originalText(duplicate: string): SystemText {
  return { action: 'duplicate', body: `marked ${duplicate} as a duplicate of this issue` }
}

/** @param reference such as `issue #5`, or `commit ` and its id */
export function mentionedText(reference: string): SystemText {
  return { action: 'cross_reference', body: `mentioned in ${reference}` }
}

/** How the issue with the note is linked to the other one. */
export type Relation = 'related to' | 'blocking' | 'blocked by'

export function relationText(relation: Relation, reference: string): SystemText {
  return { action: 'relate', body: `marked this issue as ${relation} ${reference}` }
}

export function unrelatedText(reference: string): SystemText {
  return { action: 'unrelate', body: `removed the relation with ${reference}` }
}
