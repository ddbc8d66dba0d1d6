/** The changes of a merge request, the discussions on their lines, and the viewer's review. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { invalid, nullIfMissing } from '../../../failure.ts'
import { addDraft, draftsOf, findDraft, removeDraft, submitDrafts } from '../../../features/commands/draft-notes/draft-notes.ts'
import { discussible, resolvableDiscussion, type Written, writeNote } from '../../../features/commands/notes/notes.ts'
import { resolveDiscussion } from '../../../features/discussion/diff-discussions/diff-discussions.ts'
import { discussionOn } from '../../../features/discussion/notes/notes.ts'
import { approve, unapprove } from '../../../features/review/approvals/approvals.ts'
import { mergeRequestInPath, mergeRequestKind } from '../../../features/review/merge-requests/merge-requests.ts'
import { markViewed } from '../../../features/review/viewed-files/viewed-files.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, type Page, page, type Typed } from '../../frame/declaration.ts'
import { mergeRequestAddress } from '../merge-requests/parts.ts'
import { changesQuery } from './compared-versions.ts'
import { conflictPages } from './conflicts.pages.ts'
import { jumpPages } from './jump.pages.ts'
import { positionOfLine } from './sent-line.ts'
import { sentences } from './sentences.ts'
import { suggestionPages } from './suggestions.pages.ts'
import { changesView } from './view.ts'

const readable = within(project('visible'), mergeRequestInPath)
const ownWork = within(project('signed-in'), mergeRequestInPath)
const writable = discussible(mergeRequestKind.access)
const number = Type.String({ default: '', maxLength: 20 })
const sha = Type.String({ default: '', maxLength: 64 })

const changesOf = (target: { full_path: string }, { iid }: Pick<MergeRequest, 'iid'>) => `${mergeRequestAddress(target, iid)}/diffs`

const ownDraft = nested({ draft_id: Id }, (granted: ProjectGranted & { merge_request: MergeRequest }, { draft_id }) => ({
  ...granted,
  draft_id,
}))

export const diffsPages: Page[] = [
  page('GET /:project/merge_requests/:merge_request_iid/diffs', {
    access: readable,
    query: changesQuery,
    show: (known) => changesView(known, known.sent),
  }),
  ...jumpPages,
  ...conflictPages,
  action('POST /:project/merge_requests/:merge_request_iid/diffs/notes', {
    limit: 'notes_create',
    access: writable,
    form: {
      body: Type.String({ default: '' }),
      discussion_id: Type.Optional(Type.String({ maxLength: 100 })),
      path: Type.String({ default: '', maxLength: 4_096 }),
      line: number,
      from_line: number,
      line_type: oneOfDefault('new', 'old'),
      x: number,
      y: number,
      width: number,
      height: number,
      base_sha: sha,
      start_sha: sha,
      head_sha: sha,
      view: oneOfDefault('unified', 'split'),
      w: oneOfDefault('0', '1'),
      act: oneOfDefault('comment', 'draft'),
    },
    async act({ app, user, noteable, repo, project: target, sent }) {
      const { body, discussion_id, act, view } = sent
      const changes = changesOf(target, noteable.row)
      const look = view === 'split' ? '?view=split' : ''
      const position = discussion_id === undefined ? await positionOfLine(app, repo, noteable.row.id, sent) : null
      if (act === 'draft') {
        const { id } = await addDraft(app, user, noteable, { note: body, position, in_reply_to_discussion_id: discussion_id ?? null })
        return { redirect: `${changes}${look}#draft_${id}`, notice: sentences.drafted }
      }
      const discussion = discussion_id === undefined ? ('new' as const) : { id: discussion_id }
      const written = await writeNote(app, user, noteable, { body, discussion, position })
      if (written.kind !== 'note') return { redirect: `${changes}${look}`, notice: noticeOf(written) }
      return { redirect: `${changes}/discussions/${written.note.discussion_id}${look}`, notice: noticeOf(written) }
    },
    again: (seen, typed) =>
      changesView({ ...seen, merge_request: seen.noteable.row }, undefined, {
        discussion_id: typed.values.discussion_id ?? null,
        typed: inOurNames(typed),
      }),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/diffs/discussions/:discussion_id/resolve', {
    access: resolvableDiscussion(discussionOn(mergeRequestKind)),
    form: { resolved: Type.Boolean() },
    async act({ app, user, noteable, project: target, opening, sent: { resolved } }) {
      await resolveDiscussion(app, user, opening, resolved)
      const notice = resolved ? sentences.resolved : sentences.unresolved
      return { redirect: `${changesOf(target, noteable.row)}/discussions/${opening.discussion_id}`, notice }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/diffs/viewed', {
    access: ownWork,
    form: {
      path: Type.String({ maxLength: 4_096 }),
      oid: Type.String({ maxLength: 64 }),
      viewed: Type.Boolean(),
      back: Type.String({ default: '', maxLength: 8_000 }),
      /** Set by the script, which shows no other page for it. */
      quiet: Off,
    },
    async act({ app, user, project: target, merge_request, sent: { back, quiet, ...mark } }) {
      await markViewed(app, user, merge_request, mark)
      const notice = mark.viewed ? sentences.markedViewed : sentences.markedUnviewed
      return { redirect: ownAddress(back) ?? changesOf(target, merge_request), ...(!quiet && { notice }) }
    },
  }),
  action('POST /:project/merge_requests/:merge_request_iid/diffs/review', {
    access: writable,
    form: {
      act: oneOf('submit', 'discard'),
      body: Type.String({ default: '' }),
      verdict: oneOfDefault('comment', 'approve', 'request'),
      /** The head that the reviewer has seen. */
      sha: Type.String({ default: '', maxLength: 100 }),
    },
    async act({ app, user, noteable, level, project: target, sent: { act, body, verdict, sha } }) {
      const drafts = await draftsOf(app.db, noteable.row.id, user.id)
      const redirect = changesOf(target, noteable.row)
      if (act === 'discard') {
        for (const draft of drafts) await removeDraft(app, draft)
        return { redirect, notice: sentences.discarded }
      }
      const isEmpty = drafts.length === 0 && body.trim() === ''
      if (isEmpty && verdict !== 'approve') throw invalid({ body: [verdict === 'comment' ? sentences.emptyReview : sentences.noSummary] })
      // Approving comes first: if it is refused, no comment may be published.
      if (verdict === 'approve') await approve(app, user, { project: target, level }, noteable.row, { sha: sha || null })
      const reviewer_state = verdict === 'request' ? 'requested_changes' : verdict === 'comment' ? 'reviewed' : undefined
      const notes = await submitDrafts(app, user, noteable, drafts, { note: body, reviewer_state })
      if (verdict === 'request') await takeApprovalBack(app, user, noteable.row.id)
      return { redirect, notice: sentences.submitted(notes.length) }
    },
    again: (seen, typed) => changesView({ ...seen, merge_request: seen.noteable.row }, undefined, null, reviewTyped(typed)),
  }),
  action('POST /:project/merge_requests/:merge_request_iid/diffs/drafts/:draft_id/delete', {
    access: within(ownWork, ownDraft),
    async act({ app, user, merge_request, project: target, draft_id }) {
      await removeDraft(app, await findDraft(app.db, merge_request, user, draft_id))
      return { redirect: changesOf(target, merge_request), notice: sentences.draftDeleted }
    },
  }),
  ...suggestionPages,
]

function noticeOf(written: Written): string {
  if (written.kind === 'award') return sentences.noted
  const { summary, refusals } = written.commands
  return [...(written.kind === 'note' ? [sentences.noted] : []), ...summary, ...refusals].join(' ')
}

/** Does nothing if the user has not approved. */
async function takeApprovalBack(app: App, user: User, id: number): Promise<void> {
  await unapprove(app, user, id).catch(nullIfMissing)
}

/** The service calls the summary a note. */
function reviewTyped({ values, errors }: Typed): Typed {
  const { note, ...of } = errors.of
  return { values, errors: { ...errors, of: { ...of, ...(note && { body: note }) } } }
}

/** The service calls the body a note, and a line by its code. */
function inOurNames({ values, errors }: Typed): Typed {
  const { note, line_code, position, ...of } = errors.of
  const line = line_code || position ? [sentences.notInFile] : undefined
  return { values, errors: { ...errors, of: { ...of, ...(note && { body: note }), ...(line && { line }) } } }
}
