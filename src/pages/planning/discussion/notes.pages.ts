/** Writes, edits and deletes comments: declared once for each kind of noteable. */

import { type Static, type TObject, Type } from 'typebox'
import { canManageIssue } from '../../../access/issues.ts'
import type { NoteableName, NoteableRow } from '../../../db/tables.ts'
import { changeableNote, discussible, editNote, removeNote, type Written, writeNote } from '../../../features/commands/notes/notes.ts'
import { tickInNote } from '../../../features/commands/tasks/tasks.ts'
import { toggleAward } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { canResolve, resolveDiscussion } from '../../../features/discussion/diff-discussions/diff-discussions.ts'
import { type DiscussionGranted, discussionOn, type NoteGranted, noteOn } from '../../../features/discussion/notes/notes.ts'
import { kindOf, type NoteableGranted, type NoteableKind } from '../../../features/noteable-kinds.ts'
import { html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import { type Condition, only, type ProjectGranted, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, type Page, page, type Redirect, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { hidden, markdownField, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { type ProjectTab, projectView } from '../../project/project-view.ts'
import { taskForm, tickIn } from '../../project/tasks.ts'
import { type Discussed, noteableAddress } from './discussed.ts'
import type { RefusedNote } from './discussion.ts'
import { emojiForm, emojiIn } from './emoji.pages.ts'
import { sentences } from './sentences.ts'

const writing = {
  body: Type.String({ default: '' }),
  /** For a reply. */
  discussion_id: Type.Optional(Type.String({ maxLength: 100 })),
  internal: Type.Boolean({ default: false }),
  act: oneOfDefault('comment', 'discussion', 'close', 'reopen'),
}

/** The page from which a note was changed, if not that of the noteable. */
const back = Type.Optional(Type.String({ maxLength: 8_000 }))

/** A noteable that is granted to a signed-in user. */
export type DiscussedAt<N extends NoteableName> = Visit & ProjectGranted & SignedIn & NoteableGranted<N>

/** The differences between the kinds. */
export interface NotePages<N extends NoteableName> {
  tab: ProjectTab
  /** The page with its discussion, and a rejected form. */
  view: (seen: DiscussedAt<N>, refusedNote: RefusedNote) => Promise<View>
  /** Null for kinds that can't be closed. */
  state: StateOf<N> | null
}

interface StateOf<N extends NoteableName> {
  /** Throws 403 for users who may not close and reopen it. */
  assertMayChange: (seen: DiscussedAt<N>) => Promise<void>
  change: (seen: DiscussedAt<N>, event: 'close' | 'reopen') => Promise<void>
  closed: () => string
  reopened: () => string
}

/** `notePages(issueKind, …)` */
export function notePages<N extends NoteableName>(kind: NoteableKind<N>, pages: NotePages<N>): Page[] {
  const address = `/:project/${kind.pagePath}/notes` as const
  return [
    action(`POST ${address}`, {
      limit: 'notes_create',
      access: discussible(kind.access),
      form: writing,
      act: (seen) => write(seen, pages, seen.sent),
      again: (seen, typed) => pages.view(seen, { discussion_id: typed.values.discussion_id ?? null, typed: aboutBody(typed) }),
    }),
    page(`GET ${address}/:note_id/quote`, {
      access: discussible(noteOn(kind)),
      show: (seen) => pages.view(seen, { discussion_id: null, typed: { ...untouched, values: { body: quoted(seen.note.body) } } }),
    }),
    ...(kind.resolvable ? [resolution(kind)] : []),
    ...noteChangePages(kind, pages),
  ]
}

/** Editing and deleting notes, and reactions to them. */
export function noteChangePages<N extends NoteableName>(kind: NoteableKind<N>, pages: Pick<NotePages<N>, 'tab'>): Page[] {
  const address = `/:project/${kind.pagePath}/notes` as const
  return [
    page(`GET ${address}/:note_id/edit`, {
      access: changeableNote(noteOn(kind)),
      query: { back },
      show: (seen) => editView(seen, pages, { ...untouched, values: { back: seen.sent.back ?? '' } }),
    }),
    action(`POST ${address}/:note_id`, {
      access: changeableNote(noteOn(kind)),
      form: { body: Type.String({ default: '' }), back },
      async act({ app, user, noteable, note, sent }) {
        await editNote(app, user, noteable, note, sent.body)
        return { redirect: ownAddress(sent.back) ?? `${noteableAddress(noteable)}#note_${note.id}`, notice: sentences.noteSaved }
      },
      again: (seen, typed) => editView(seen, pages, aboutBody(typed)),
    }),
    action(`POST ${address}/:note_id/tasks`, {
      access: changeableNote(noteOn(kind)),
      form: { ...taskForm, back },
      async act({ app, user, noteable, note, sent }) {
        await tickInNote(app, user, noteable, note, tickIn(sent))
        return { redirect: ownAddress(sent.back) ?? `${noteableAddress(noteable)}#note_${note.id}` }
      },
    }),
    action(`POST ${address}/:note_id/delete`, {
      access: changeableNote(noteOn(kind)),
      form: { back },
      async act({ app, user, noteable, note, sent }) {
        await removeNote(app, user, noteable, note)
        return { redirect: ownAddress(sent.back) ?? noteableAddress(noteable), notice: sentences.noteDeleted }
      },
    }),
    action(`POST ${address}/:note_id/emoji`, {
      access: unarchived(noteOn(kind)),
      form: { ...emojiForm, back },
      async act({ app, user, noteable, note, sent }) {
        const name = emojiIn(sent)
        await toggleAward(app, user, { noteable, note }, name)
        return { redirect: ownAddress(sent.back) ?? `${noteableAddress(noteable)}#note_${note.id}` }
      },
    }),
  ]
}

/** To be replied to below it. */
function quoted(body: string): string {
  return `${body.trimEnd().replace(/^/gm, '> ')}\n\n`
}

function resolution(kind: NoteableKind): Page {
  return action(`POST /:project/${kind.pagePath}/discussions/:discussion_id/resolve`, {
    access: only(unarchived(discussionOn(kind)), resolving),
    form: { resolved: Type.Boolean() },
    async act({ app, user, noteable, opening, sent: { resolved } }) {
      await resolveDiscussion(app, user, opening, resolved)
      const notice = resolved ? sentences.resolved : sentences.unresolved
      return { redirect: `${noteableAddress(noteable)}#discussion_${opening.discussion_id}`, notice }
    },
  })
}

const resolving: Condition<SignedIn & NoteableGranted & DiscussionGranted> = translated({
  description: 'developers, the author, and who opened the discussion',
  holds: ({ user, noteable, opening }) => canResolve(noteable, user, opening),
})

async function write<N extends NoteableName>(
  seen: DiscussedAt<N>,
  pages: NotePages<N>,
  sent: Static<TObject<typeof writing>>,
): Promise<Redirect> {
  const { app, user, level, noteable } = seen
  const { body, discussion_id, act } = sent
  const discussion = discussion_id !== undefined ? { id: discussion_id } : act === 'discussion' ? ('new' as const) : undefined
  const event = act === 'close' || act === 'reopen' ? act : null
  const state = event && pages.state
  if (state) await state.assertMayChange(seen)
  // "Comment and close" without a comment only closes.
  const isWritten = !state || body.trim() !== ''
  const internal = sent.internal && canManageIssue({ level })
  const written = isWritten ? await writeNote(app, user, noteable, { body, discussion, internal }) : null
  if (state && event) await state.change(seen, event)
  const address = noteableAddress(noteable)
  const redirect = written?.kind === 'note' ? `${address}#note_${written.note.id}` : address
  if (written) return { redirect, notice: noticeOf(written) }
  return { redirect, notice: (event === 'reopen' ? state?.reopened() : state?.closed()) ?? '' }
}

type NoteSeen = Discussed & NoteGranted

function editView(
  { project, level, user, noteable, note, token }: NoteSeen,
  { tab }: Pick<NotePages<NoteableName>, 'tab'>,
  typed: Typed,
): View {
  const address = noteableAddress(noteable)
  const reference = referenceOf(noteable)
  const body = markdownField(t`Comment`, 'body', typed, {
    value: note.body,
    project,
    takesFiles: true,
    required: true,
    autofocus: true,
    rows: 10,
  })
  return projectView(
    { project, level, user, tab, showsCode: false },
    {
      title: t`Edit a comment on ${reference}`,
      scripts: [textFieldScript],
      main: html`
        <h1>Edit a comment on <a href="${address}#note_${note.id}">${reference}</a></h1>
        <div class="form-page">
          ${problemsOf(typed.errors, ['body'])}
          <form method="post" action="${address}/notes/${note.id}" data-plain>
            ${token}${hidden({ back: typed.values.back ?? '' })}${body}
            <p class="actions"><button class="primary">Save the comment</button></p>
          </form>
        </div>
      `,
    },
  )
}

function referenceOf(noteable: NoteableRow): string {
  return kindOf(noteable).reference(noteable.row)
}

/** A summary of the quick actions in a note, with those that failed. */
function noticeOf(written: Written): string {
  if (written.kind === 'award') return sentences.awarded
  const { summary, refusals } = written.commands
  const done = written.kind === 'note' ? [sentences.noted, ...summary] : summary
  return [...done, ...refusals].join(' ')
}

/** The service calls the body `note`. */
export function aboutBody({ values, errors }: Typed): Typed {
  const { note, commands_only, ...of } = errors.of
  const all = [...errors.all, ...(commands_only ?? [])].map((sentence) => sentence.replace(/^Commands only /, ''))
  return { values, errors: { all, of: { ...of, ...(note && { body: note }) } } }
}
