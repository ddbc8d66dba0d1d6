/** Writing, editing and deleting comments on an issue. */
import { Type } from 'typebox'
import { canManageIssue, canUpdateIssue } from '../../../access/issues.ts'
import { inTransaction } from '../../../db/database.ts'
import { forbidden } from '../../../failure.ts'
import { toggleAwardIn } from '../../../features/planning/award-emoji/award-emoji.ts'
import { changeIssue } from '../../../features/planning/issue-changes/issue-changes.ts'
import { assigneeIds } from '../../../features/planning/issues/issues.ts'
import {
  changeableNote,
  discussible,
  editNote,
  removeNote,
  type Written,
  writeNote,
} from '../../../features/planning/note-changes/note-changes.ts'
import { type NoteableGranted, noteableIn } from '../../../features/planning/noteables/noteables.ts'
import { type NoteGranted, noteIn } from '../../../features/planning/notes/notes.ts'
import { type ProjectGranted, unarchived } from '../../../http/rules.ts'
import { oneOfDefault } from '../../../http/schema.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { form, markdownField, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { html } from '../../frame/html.ts'
import { projectView } from '../../project/project-view.ts'
import { emojiForm, emojiIn } from './emoji.pages.ts'
import { issueView } from './issue-view.ts'
import { issueAddress } from './parts.ts'
import { sentences } from './sentences.ts'

const writing = {
  body: Type.String({ default: '' }),
  /** Of a reply. */
  discussion_id: Type.Optional(Type.String({ maxLength: 100 })),
  internal: Type.Boolean({ default: false }),
  act: oneOfDefault('comment', 'discussion', 'close', 'reopen'),
}

export const notePages = [
  action('POST /:project/issues/:issue_iid/notes', {
    access: discussible(noteableIn('issues', 'signed-in')),
    form: writing,
    async act({ app, user, project, level, noteable, sent: { body, discussion_id, internal, act } }) {
      const issue = noteable.row
      const address = issueAddress(project, issue.iid)
      const discussion = discussion_id !== undefined ? { id: discussion_id } : act === 'discussion' ? ('new' as const) : undefined
      const state_event = act === 'close' || act === 'reopen' ? act : null
      const mayEdit = state_event === null || canUpdateIssue({ level }, issue, await assigneeIds(app.db, issue.id), user)
      if (!mayEdit) throw forbidden()
      // "Comment and close" without a comment only closes.
      const written =
        state_event !== null && body.trim() === ''
          ? null
          : await writeNote(app, user, noteable, { body, discussion, internal: internal && canManageIssue({ level }) })
      if (state_event !== null) await changeIssue(app, { user, project, level }, issue, { state_event })
      const notice = written ? noticeOf(written) : act === 'close' ? sentences.closed : sentences.reopened
      return { redirect: written?.kind === 'note' ? `${address}#note_${written.note.id}` : address, notice }
    },
    again: (context, typed) =>
      issueView(
        { ...context, issue: context.noteable.row },
        { refusedNote: { discussion_id: typed.values.discussion_id ?? null, typed: aboutBody(typed) } },
      ),
  }),
  page('GET /:project/issues/:issue_iid/notes/:note_id/edit', {
    access: changeableNote(noteIn('issues')),
    show: (context) => editView(context, untouched),
  }),
  action('POST /:project/issues/:issue_iid/notes/:note_id', {
    access: changeableNote(noteIn('issues')),
    form: { body: Type.String({ default: '' }) },
    async act({ app, user, project, noteable, note, sent: { body } }) {
      await editNote(app, user, noteable, note, body)
      return { redirect: `${issueAddress(project, noteable.row.iid)}#note_${note.id}`, notice: sentences.noteSaved }
    },
    again: (context, typed) => editView(context, aboutBody(typed)),
  }),
  action('POST /:project/issues/:issue_iid/notes/:note_id/delete', {
    access: changeableNote(noteIn('issues')),
    async act({ app, user, project, noteable, note }) {
      await removeNote(app, user, noteable, note)
      return { redirect: issueAddress(project, noteable.row.iid), notice: sentences.noteDeleted }
    },
  }),
  action('POST /:project/issues/:issue_iid/notes/:note_id/emoji', {
    access: unarchived(noteIn('issues')),
    form: emojiForm,
    async act({ app, user, project, noteable, note, sent }) {
      const name = emojiIn(sent)
      await inTransaction(app.db, (tx) => toggleAwardIn(tx, user, { noteable, note }, name))
      return { redirect: `${issueAddress(project, noteable.row.iid)}#note_${note.id}` }
    },
  }),
]

type NoteSeen = Visit & ProjectGranted & NoteableGranted & NoteGranted

function editView({ project, level, user, noteable, note, token }: NoteSeen, typed: Typed): View {
  const { iid } = noteable.row
  const address = `${issueAddress(project, iid)}/notes/${note.id}`
  const body = markdownField('Comment', 'body', typed, {
    value: note.body,
    project,
    takesFiles: true,
    required: true,
    autofocus: true,
    rows: 10,
  })
  return projectView(
    { project, level, user, tab: 'issues', showsCode: false },
    {
      title: `Edit a comment on #${iid}`,
      scripts: [textFieldScript],
      main: html`<h1>Edit a comment on <a href="${issueAddress(project, iid)}#note_${note.id}">#${iid}</a></h1><div class="form-page">${problemsOf(typed.errors, ['body'])}${form(
        { action: address, token, submit: 'Save the comment' },
        body,
      )}</div>`,
    },
  )
}

/** What was done, and what quick actions could not do. */
function noticeOf(written: Written): string {
  if (written.kind === 'award') return sentences.awarded
  const { summary, refusals } = written.commands
  const done = written.kind === 'note' ? [sentences.noted, ...summary] : summary
  return [...done, ...refusals].join(' ')
}

/** The service calls the body a note. */
function aboutBody({ values, errors }: Typed): Typed {
  const { note, commands_only, ...of } = errors.of
  const all = [...errors.all, ...(commands_only ?? [])].map((sentence) => sentence.replace(/^Commands only /, ''))
  return { values, errors: { all, of: { ...of, ...(note && { body: note }) } } }
}
