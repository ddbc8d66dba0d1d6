/** Texts of system notes that only merge requests have, as clients know them. Pure. */
import { type SystemText, sentenceOf } from './system-notes.ts'

export function reviewersText(added: string[], removed: string[]): SystemText {
  const parts = [
    added.length > 0 && `requested review from ${sentenceOf(added)}`,
    removed.length > 0 && `removed review request for ${sentenceOf(removed)}`,
  ]
  return { action: 'reviewer', body: parts.filter((part) => part !== false).join(' and ') }
}

export function draftText(isDraft: boolean): SystemText {
  return { action: 'title', body: `${isDraft ? 'marked' : 'unmarked'} as a **Work In Progress**` }
}

export function targetBranchText(from: string, to: string): SystemText {
  return { action: 'branch', body: `changed target branch from ${inCode(from)} to ${inCode(to)}` }
}

export function deletedSourceText(branch: string): SystemText {
  return { action: 'branch', body: `deleted source branch ${inCode(branch)}` }
}

/** @param below the request on which it was built */
export function restackedText(target: string, below: { iid: number; state: string }): SystemText {
  const what = below.state === 'merged' ? 'merged' : 'rebased'
  return { action: 'branch', body: `rebased the source branch onto ${inCode(target)}, as !${below.iid} was ${what}` }
}

export const mergedText: SystemText = { action: 'merged', body: 'merged' }

export function approvalText(isApproved: boolean): SystemText {
  const action = isApproved ? 'approved' : 'unapproved'
  return { action, body: `${action} this merge request` }
}

export const approvalsKeptText: SystemText = { action: 'approved', body: 'kept the approvals, as the push changed nothing of the diff' }

/** @param oid the commit whose pipeline is awaited */
export function automaticMergeText(oid: string): SystemText {
  return { action: 'merge', body: `enabled an automatic merge when the pipeline for ${oid} succeeds` }
}

const endings = {
  canceled: 'canceled the automatic merge',
  source_changed: 'aborted the automatic merge because source branch was updated',
  target_changed: 'aborted the automatic merge because target branch was changed',
}

export function endOfAutomaticMergeText(reason: keyof typeof endings): SystemText {
  return { action: 'merge', body: endings[reason] }
}

/** @param position from 1 */
export function queuedText(position: number): SystemText {
  const body = position === 1 ? 'started a merge train' : `added this merge request to the merge train at position ${position}`
  return { action: 'merge', body }
}

export function unqueuedText(because: string | null): SystemText {
  return { action: 'merge', body: `removed this merge request from the merge train${because === null ? '' : ` because ${because}`}` }
}

/** @param below the number of the request below */
export function stackedText(below: number): SystemText {
  return { action: 'merge', body: `enabled an automatic merge with its stack, after !${below}` }
}

export function unstackedText(because: string): SystemText {
  return { action: 'merge', body: `aborted the automatic merge with its stack because ${because}` }
}

export interface PushedCommits {
  /** The listed ones, oldest first; others are only counted. */
  listed: Array<{ oid: string; title: string }>
  /** The number of all new commits, except those of the target branch. */
  added: number
  /** Commits of the target branch, oldest first. */
  existing_oids: string[]
  target_branch: string
  before_oid: string
  /** URL of the page that compares it with the previous version. */
  compare_url: string
}

const short = (oid: string) => oid.slice(0, 8)
const commits = (count: number) => `${count} commit${count === 1 ? '' : 's'}`

export function pushedText({ listed, added, existing_oids, target_branch, before_oid, compare_url }: PushedCommits): SystemText {
  const items = listed.map(({ oid, title }) => `<li>${short(oid)} - ${escaped(title)}</li>`)
  const last = existing_oids.at(-1)
  if (last !== undefined) {
    const range = existing_oids.length === 1 ? short(last) : `${short(before_oid)}...${short(last)}`
    items.unshift(`<li>${range} - ${commits(existing_oids.length)} from branch <code>${escaped(target_branch)}</code></li>`)
  }
  if (added > listed.length) items.push(`<li>and ${commits(added - listed.length)} more</li>`)
  const link = `[Compare with previous version](${compare_url})`
  return { action: 'commit', body: `added ${commits(added + existing_oids.length)}\n\n<ul>${items.join('')}</ul>\n\n${link}` }
}

/** Escapes text for both HTML and Markdown, which these notes mix. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`*_~[\]\\$]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** The name of a branch may contain backquotes. */
function inCode(name: string): string {
  const longest = Math.max(0, ...[...name.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const gap = longest > 0 ? ' ' : ''
  return `${fence}${gap}${name}${gap}${fence}`
}
