/** Messages of merge and squash commits, from the templates of the project. */
import { placeholderFiller } from '../../../text/placeholders.ts'

/** The values that a template can use, each as `%{name}`. */
export interface MessageFacts {
  source_branch: string
  target_branch: string
  title: string
  description: string
  /** `Closes #1 and group/other#2`; empty if it closes none. */
  issues: string
  /** `group/project!1` */
  reference: string
  local_reference: string
  url: string
  /** Messages of its commits, oldest first. */
  commits: string[]
  /** `Name <address>` */
  merged_by: string
  merge_request_author: string
  co_authored_by: string[]
  reviewed_by: string[]
  approved_by: string[]
  source_project_id: number | null
}

export const defaultMergeTemplate = `Merge branch '%{source_branch}' into '%{target_branch}'

%{title}

%{issues}

See merge request %{reference}`

export const defaultSquashTemplate = '%{title}'

type Placeholder = (facts: MessageFacts) => string

const trailers = (name: string, people: string[]) => people.map((person) => `${name}: ${person}`).join('\n')
const firstOf = (messages: string[]) => messages[0]?.trim() ?? ''

const placeholders: Record<string, Placeholder> = {
  source_branch: (facts) => facts.source_branch,
  target_branch: (facts) => facts.target_branch,
  title: (facts) => facts.title,
  description: (facts) => facts.description,
  issues: (facts) => facts.issues,
  reference: (facts) => facts.reference,
  local_reference: (facts) => facts.local_reference,
  url: (facts) => facts.url,
  source_project_id: (facts) => String(facts.source_project_id ?? ''),
  first_commit: ({ commits }) => firstOf(commits),
  first_multiline_commit: ({ commits, title }) => multiline(commits)?.trim() ?? title,
  first_multiline_commit_description: ({ commits }) => multiline(commits)?.trim().split('\n').slice(1).join('\n').trim() ?? '',
  all_commits: ({ commits }) => joined(commits),
  merged_by: (facts) => facts.merged_by,
  merge_request_author: (facts) => facts.merge_request_author,
  co_authored_by: (facts) => trailers('Co-authored-by', facts.co_authored_by),
  reviewed_by: (facts) => trailers('Reviewed-by', facts.reviewed_by),
  approved_by: (facts) => trailers('Approved-by', facts.approved_by),
}

function multiline(commits: string[]): string | undefined {
  return commits.find((message) => message.trim().includes('\n'))
}

/** Longer messages are truncated: a template may include all commits. */
const maxMessage_chars = 1_000_000

/** No more commits than a message can contain. */
function joined(commits: string[]): string {
  let text = ''
  for (const message of commits) {
    if (text.length >= maxMessage_chars) break
    text += `${text === '' ? '' : '\n\n'}${indented(message)}`
  }
  return text
}

function indented(message: string): string {
  return `* ${message
    .trim()
    .replaceAll('\n', '\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')}`
}

/**
 * Fills in a template. A line that is empty because of its placeholders is removed, with superfluous blank lines. Unknown placeholders are
 * left as written.
 */
export function fillTemplate(template: string, facts: MessageFacts): string {
  const values = Object.entries(placeholders).map(([name, value]): [string, () => string] => [name, () => value(facts)])
  const fill = placeholderFiller(Object.fromEntries(values), maxMessage_chars)
  const lines = template.replaceAll('\r\n', '\n').split('\n')
  const filled = lines.flatMap((line) => {
    const text = fill(line)
    return text.trim() === '' && line.trim() !== '' ? [] : [text]
  })
  return filled
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, maxMessage_chars)
}

/** `Closes #1, #2 and #3` */
export function closesSentence(references: string[]): string {
  if (references.length === 0) return ''
  const last = references.at(-1) ?? ''
  const others = references.slice(0, -1).join(', ')
  return `Closes ${others === '' ? last : `${others} and ${last}`}`
}
