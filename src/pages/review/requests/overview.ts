/** A merge request as a page: its description, whether it can be merged, what stands beside it and its discussion. */
import { canManageMergeRequests } from '../../../access/merge-requests.ts'
import { versionOf } from '../../../features/instance/changes/changes.ts'
import { listAwards } from '../../../features/planning/award-emoji/award-emoji.ts'
import { columnOf } from '../../../features/planning/noteables/noteables.ts'
import { isSubscribed, visibleParticipants } from '../../../features/planning/participation/participation.ts'
import { hasPendingTodo } from '../../../features/planning/todos/todos.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { textFieldScript } from '../../frame/forms.ts'
import { type Html, html } from '../../frame/html.ts'
import { changesOf } from '../../frame/live.ts'
import { type RefusedNote, readTalk, talkView } from '../../planning/discussion/discussion.ts'
import { reactions } from '../../planning/discussion/reactions.ts'
import { milestonesFor } from '../../planning/issues/fields.ts'
import { proseOf } from '../../project/prose.ts'
import { requestView, stateEventOf } from './frame.ts'
import { mergeBox } from './merge-box.ts'
import { requestAddress } from './parts.ts'
import { type Framing, readFrame, type Read } from './read.ts'
import { noteableOf, type RequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'
import { type Beside, sidebar } from './sidebar.ts'

/** What is shown of it, besides itself. */
export interface Shown {
  /** Of the discussion. */
  page?: number
  refusedNote?: RefusedNote | null
  /** A form beside it. */
  refusedDetail?: Typed | null
  /** The form that merges. */
  refusedMerge?: Typed | null
}
