/** The pages of issues: of projects, of groups, and of the dashboard. */
import { issueKind } from '../../../features/planning/issues/issues.ts'
import { emojiPages } from '../discussion/emoji.pages.ts'
import { issueCalendarPages } from './calendar.pages.ts'
import { completionPages } from './completion.pages.ts'
import { detailPages } from './details.pages.ts'
import { editIssuePages } from './edit.pages.ts'
import { issuePages } from './issue.pages.ts'
import { linkPages } from './links.pages.ts'
import { issueListPages } from './listing.ts'
import { newIssuePages } from './new.pages.ts'
import { issueNotePages } from './notes.pages.ts'

export const issuesPages = [
  ...issueListPages,
  ...issueCalendarPages,
  ...newIssuePages,
  ...editIssuePages,
  ...detailPages,
  ...emojiPages(issueKind),
  ...linkPages,
  ...issueNotePages,
  ...completionPages,
  ...issuePages,
]
