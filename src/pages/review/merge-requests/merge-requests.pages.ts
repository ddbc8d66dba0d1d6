/** The pages of merge requests: of projects, of groups, and of the dashboard. */
import { mergeRequestKind } from '../../../features/review/merge-requests/merge-requests.ts'
import type { Page } from '../../frame/declaration.ts'
import { emojiPages } from '../../planning/discussion/emoji.pages.ts'
import { mergeRequestCommitPages } from './commits.pages.ts'
import { mergeRequestDetailPages } from './details.pages.ts'
import { editMergeRequestPages } from './edit.pages.ts'
import { mergeRequestListPages } from './listing.ts'
import { mergePages } from './merge.pages.ts'
import { mergeRequestPages } from './merge-request.pages.ts'
import { newMergeRequestPages } from './new.pages.ts'
import { mergeRequestNotePages } from './notes.pages.ts'
import { stackPages } from './stack.pages.ts'

export const mergeRequestsPages: Page[] = [
  ...mergeRequestListPages,
  ...newMergeRequestPages,
  ...editMergeRequestPages,
  ...mergeRequestDetailPages,
  ...mergePages,
  ...stackPages,
  ...emojiPages(mergeRequestKind),
  ...mergeRequestNotePages,
  ...mergeRequestCommitPages,
  ...mergeRequestPages,
]
