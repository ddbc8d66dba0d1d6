/** An external issue tracker as stored with its project: the URL of issues, and how texts refer to them. */
import { kindOf, type Settings, textOf, urlAt } from '../kinds/kinds.ts'

export interface ExternalTracker {
  title: string
  /** Contains `:id` as the placeholder of an issue. */
  issues_url: string
  project_url: string
  new_issue_url: string
  /** Whether the whole of `PROJECT-123` identifies an issue, and not only 123. */
  isByKey: boolean
}

export function trackerOf(slug: string, settings: Settings): ExternalTracker {
  const title = textOf(settings, 'title') || (kindOf(slug)?.title ?? slug)
  const url = (name: string) => textOf(settings, name)
  if (slug !== 'jira')
    return { title, issues_url: url('issues_url'), project_url: url('project_url'), new_issue_url: url('new_issue_url'), isByKey: false }
  const base = url('url')
  const issues_url = urlAt(base, 'browse/:id')
  return { title, issues_url, project_url: base, new_issue_url: urlAt(base, 'secure/CreateIssue.jspa'), isByKey: true }
}

/** Null if the project has none, or the row is of another version. */
export function readTracker({ external_tracker }: { external_tracker: string | null }): ExternalTracker | null {
  return external_tracker === null ? null : (JSON.parse(external_tracker) as ExternalTracker)
}

/** @param name `PROJECT-123`, or `123` */
export function externalIssueUrl({ issues_url, isByKey }: ExternalTracker, name: string): string {
  const id = isByKey ? name : name.slice(name.lastIndexOf('-') + 1)
  return issues_url.replaceAll(':id', encodeURIComponent(id))
}
