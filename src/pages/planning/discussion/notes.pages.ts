/** Writing, editing and deleting comments: a family, declared once for each kind that is discussed. */
import { type Static, type TObject, Type } from 'typebox'
import { canManageIssue } from '../../../access/issues.ts'
import { changeableNote, discussible, editNote, removeNote, type Written, writeNote } from '../../../features/commands/notes/notes.ts'
import { toggleAward } from '../../../features/discussion/award-emoji/award-emoji.ts'
import { canResolve, resolveDiscussion } from '../../../features/discussion/diff-discussions/diff-discussions.ts'
import {
  kindsByName,
  type NoteableGranted,
  type NoteablePath,
  type NoteableRow,
  noteableIn,
  noteableKinds,
} from '../../../features/discussion/noteables/noteables.ts'
import { type DiscussionGranted, discussionIn, type NoteGranted, noteIn } from '../../../features/discussion/notes/notes.ts'
import { html } from '../../../html/html.ts'
import { type Condition, only, type ProjectGranted, type SignedIn, unarchived } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { ownAddress } from '../../frame/addresses.ts'
import { action, type Page, page, type Redirect, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { hidden, markdownField, problemsOf, textFieldScript, untouched } from '../../frame/forms.ts'
import { type ProjectTab, projectView } from '../../project/project-view.ts'
import { type Discussed, noteableAddress, pagePaths } from './discussed.ts'
import type { RefusedNote } from './discussion.ts'
import { emojiForm, emojiIn } from './emoji.pages.ts'
import { sentences } from './sentences.ts'

const writing = {
  body: Type.String({ default: '' }),
  /** Of a reply. */
  discussion_id: Type.Optional(Type.String({ maxLength: 100 })),
  internal: Type.Boolean({ default: false }),
  act: oneOfDefault('comment', 'discussion', 'close', 'reopen'),
}

/** The page that a change of a note was made from, if not that of the noteable. */
const back = Type.Optional(Type.String({ maxLength: 8_000 }))

/** Something of a kind, as it is granted to somebody who is signed in. */
export type DiscussedAt<P extends NoteablePath> = Visit & ProjectGranted & SignedIn & NoteableGranted<P>

/** What differs between the kinds. */
export interface NotePages<P extends NoteablePath> {
  tab: ProjectTab
  /** The page with its discussion, with a form that was refused. */
  view: (seen: DiscussedAt<P>, refusedNote: RefusedNote) => Promise<View>
  /** Null of what nobody closes. */
  state: StateOf<P> | null
}

interface StateOf<P extends NoteablePath> {
  /** Throws 403 for who may not close and reopen it. */
  assertMayChange: (seen: DiscussedAt<P>) => Promise<void>
  change: (seen: DiscussedAt<P>, event: 'close' | 'reopen') => Promise<void>
  closed: string
  reopened: string
}

/** `notePages('issues', …)` */
export function notePages<P extends NoteablePath>(path: P, kind: NotePages<P>): Page[] {
  const address = `/:project/${pagePaths[path]}/notes` as const
  return [
    action(`POST ${address}`, {
      access: discussible(noteableIn(path, 'signed-in')),
      form: writing,
      act: (seen) => write(seen, kind, seen.sent),
      again: (seen, typed) => kind.view(seen, { discussion_id: typed.values.discussion_id ?? null, typed: aboutBody(typed) }),
    }),
    ...(noteableKinds[path].resolvable ? [resolution(path)] : []),
    ...noteChangePages(path, kind),
  ]
}

/** Editing and deleting notes, and reactions to them. */
export function noteChangePages<P extends NoteablePath>(path: P, kind: Pick<NotePages<P>, 'tab'>): Page[] {
  const address = `/:project/${pagePaths[path]}/notes` as const
  return [
    page(`GET ${address}/:note_id/edit`, {
      access: changeableNote(noteIn(path)),
      query: { back },
      show: (seen) => editView(seen, kind, { ...untouched, values: { back: seen.sent.back ?? '' } }),
    }),
    action(`POST ${address}/:note_id`, {
      access: changeableNote(noteIn(path)),
      form: { body: Type.String({ default: '' }), back },
      async act({ app, user, noteable, note, sent }) {
        await editNote(app, user, noteable, note, sent.body)
        return { redirect: ownAddress(sent.back) ?? `${noteableAddress(noteable)}#note_${note.id}`, notice: sentences.noteSaved }
      },
      again: (seen, typed) => editView(seen, kind, aboutBody(typed)),
    }),
    action(`POST ${address}/:note_id/delete`, {
      access: changeableNote(noteIn(path)),
      form: { back },
      async act({ app, user, noteable, note, sent }) {
        await removeNote(app, user, noteable, note)
        return { redirect: ownAddress(sent.back) ?? noteableAddress(noteable), notice: sentences.noteDeleted }
      },
    }),
    action(`POST ${address}/:note_id/emoji`, {
      access: unarchived(noteIn(path)),
      form: { ...emojiForm, back },
      async act({ app, user, noteable, note, sent }) {
        const name = emojiIn(sent)
        await toggleAward(app, user, { noteable, note }, name)
        return { redirect: ownAddress(sent.back) ?? `${noteableAddress(noteable)}#note_${note.id}` }
      },
    }),
  ]
}

function resolution(path: NoteablePath): Page {
  return action(`POST /:project/${pagePaths[path]}/discussions/:discussion_id/resolve`, {
    access: only(unarchived(discussionIn(path)), resolving),
    form: { resolved: Type.Boolean() },
    async act({ app, user, noteable, opening, sent: { resolved } }) {
      await resolveDiscussion(app, user, opening, resolved)
      const notice = resolved ? sentences.resolved : sentences.unresolved
      return { redirect: `${noteableAddress(noteable)}#discussion_${opening.discussion_id}`, notice }
    },
  })
}

const resolving: Condition<SignedIn & NoteableGranted & DiscussionGranted> = {
  description: 'developers, the author, and who opened the discussion',
  holds: ({ user, noteable, opening }) => canResolve(noteable, user, opening),
}

async function write<P extends NoteablePath>(
  seen: DiscussedAt<P>,
  kind: NotePages<P>,
  sent: Static<TObject<typeof writing>>,
): Promise<Redirect> {
  const { app, user, level, noteable } = seen
  const { body, discussion_id, act } = sent
  const discussion = discussion_id !== undefined ? { id: discussion_id } : act === 'discussion' ? ('new' as const) : undefined
  const event = act === 'close' || act === 'reopen' ? act : null
  const state = event && kind.state
  if (state) await state.assertMayChange(seen)
  // "Comment and close" without a comment only closes.
  const isWritten = !state || body.trim() !== ''
  const internal = sent.internal && canManageIssue({ level })
  const written = isWritten ? await writeNote(app, user, noteable, { body, discussion, internal }) : null
  if (state && event) await state.change(seen, event)
  const address = noteableAddress(noteable)
  const redirect = written?.kind === 'note' ? `${address}#note_${written.note.id}` : address
  if (written) return { redirect, notice: noticeOf(written) }
  return { redirect, notice: (event === 'reopen' ? state?.reopened : state?.closed) ?? '' }
}

type NoteSeen = Discussed & NoteGranted

function editView(
  { project, level, user, noteable, note, token }: NoteSeen,
  { tab }: Pick<NotePages<NoteablePath>, 'tab'>,
  typed: Typed,
): View {
  const address = noteableAddress(noteable)
  const reference = referenceOf(noteable)
  const body = markdownField('Comment', 'body', typed, {
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
      title: `Edit a comment on ${reference}`,
      scripts: [textFieldScript],
      main: html`<h1>Edit a comment on <a href="${address}#note_${note.id}">${reference}</a></h1><div class="form-page">${problemsOf(typed.errors, ['body'])}<form method="post" action="${address}/notes/${note.id}" data-plain>${token}${hidden({ back: typed.values.back ?? '' })}${body}
<p class="actions"><button class="primary">Save the comment</button></p></form></div>`,
    },
  )
}

function referenceOf(noteable: NoteableRow): string {
  if (noteable.kind === 'commit') return noteable.row.oid.slice(0, 8)
  return `${kindsByName[noteable.kind].sign}${noteable.row.iid ?? noteable.row.id}`
}

/** What was done, and what quick actions could not do. */
function noticeOf(written: Written): string {
  if (written.kind === 'award') return sentences.awarded
  const { summary, refusals } = written.commands
  const done = written.kind === 'note' ? [sentences.noted, ...summary] : summary
  return [...done, ...refusals].join(' ')
}

/** The service calls the body a note. */
export function aboutBody({ values, errors }: Typed): Typed {
  const { note, commands_only, ...of } = errors.of
  const all = [...errors.all, ...(commands_only ?? [])].map((sentence) => sentence.replace(/^Commands only /, ''))
  return { values, errors: { all, of: { ...of, ...(note && { body: note }) } } }
}
