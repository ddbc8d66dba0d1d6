/** Issues as attachments of replies in chats. */
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Issue } from '../../planning/issues/issues.schema.ts'
import { plural, type Rich, slackMarkup } from '../kinds/kinds.ts'
import type { Attachment } from './answers.schema.ts'

export type ShownIssue = Pick<
  Presented<typeof Issue>,
  'iid' | 'title' | 'state' | 'web_url' | 'author' | 'assignees' | 'milestone' | 'labels' | 'upvotes' | 'downvotes' | 'user_notes_count'
>

const colors: Record<string, string> = { opened: '#1f7a3d', closed: '#b3261e' }
const stateWord = ({ state }: ShownIssue) => (state === 'opened' ? 'Open' : 'Closed')
const quoted = (text: string) => slackMarkup([text])

export function issueAttachment(issue: ShownIssue, pretext: Rich, { withState = false } = {}): Attachment {
  const { iid, title, web_url, author, assignees, milestone, labels } = issue
  const field = (name: string, value: string | undefined) => ({ title: name, value: value ? quoted(value) : '_None_', short: true })
  return {
    fallback: quoted(`Issue #${iid}: ${title}`),
    color: colors[issue.state] ?? '',
    title: quoted(`${title} · #${iid}`),
    title_link: web_url,
    author_name: quoted(author.name),
    ...(author.avatar_url !== null && { author_icon: author.avatar_url }),
    pretext: slackMarkup(pretext),
    ...(withState && { text: countsOf(issue) }),
    fields: [field('Assignee', assignees[0]?.name), field('Milestone', milestone?.title), field('Labels', labels.map(titleOf).join(', '))],
    mrkdwn_in: ['pretext', 'text', 'fields'],
  }
}

/** One of several search results. */
export function issueLine(issue: ShownIssue): Attachment {
  const { iid, title, state, web_url } = issue
  return {
    fallback: quoted(`#${iid} ${title}`),
    color: colors[state] ?? '',
    text: slackMarkup([{ text: `#${iid}`, url: web_url }, ` · ${title} (${stateWord(issue)})`]),
    mrkdwn_in: ['text'],
  }
}

function countsOf(issue: ShownIssue): string {
  const { upvotes, downvotes, user_notes_count } = issue
  const counts = [
    upvotes > 0 && `:+1: ${upvotes}`,
    downvotes > 0 && `:-1: ${downvotes}`,
    user_notes_count > 0 && plural(user_notes_count, 'comment'),
  ]
  return [`*${stateWord(issue)}*`, ...counts.filter((one) => one !== false)].join(' · ')
}

function titleOf(label: string | { name: string }): string {
  return typeof label === 'string' ? label : label.name
}
