import type { App } from '../../../app.ts'
import { presentUserBrief } from '../../../features/people/users/users.ts'
import { type Reader, renderTexts } from '../../../features/planning/references/references.ts'
import { type Comment, listComments } from '../../../features/repository/commit-comments/commit-comments.ts'
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import type { Typed } from '../../frame/declaration.ts'
import { field, form, hidden, select, textArea } from '../../frame/forms.ts'
import { Html, html } from '../../frame/html.ts'
import { avatar, isolated } from '../../frame/parts.ts'
import { ago } from '../../frame/phrases.ts'
import type { DiffHooks } from './diff/file-view.ts'
import { sentences } from './sentences.ts'

/** The oldest of more are shown. */
const maxNotes = 500
/** Of a longer note its beginning is shown: anybody may write hundreds of them on one commit. */
const maxNote_chars = 16 * 1024
/** Of all on one page together; further ones are shown as they were written. More would take seconds, and the thread is shared. */
const maxRendered_chars = 256 * 1024

export interface Note {
  comment: Comment
  view: Html
}

/** Eleven statements at most, however many notes there are. */
export async function readNotes(app: App, reader: Reader, commit: string): Promise<Note[]> {
  const { rows } = await listComments(app.db, reader.project.id, commit, { limit: maxNotes, offset: 0 }, maxNote_chars + 1)
  let left_chars = maxRendered_chars
  const texts = rows.map(({ note }) => {
    if (note.length > Math.min(left_chars, maxNote_chars)) return null
    left_chars -= note.length
    return note
  })
  const rendered = await renderTexts(app, reader, texts, { within_page: true })
  return rows.map((comment, index) => {
    const body = rendered[index]
    return { comment, view: viewOf(app, comment, typeof body === 'string' ? new Html(body) : asWritten(comment.note)) }
  })
}

function asWritten(note: string): Html {
  const isCut = note.length > maxNote_chars
  return html`<pre class="message">${note.slice(0, maxNote_chars)}</pre>${isCut && html`<p class="hint">${sentences.noteCut}</p>`}`
}

function viewOf(app: App, { id, author, created_at, path, line }: Comment, body: Html): Html {
  return html`<article class="note" id="note-${id}"><header>${avatar(presentUserBrief(app.config, author).avatar_url, 20)} <a href="/${author.username}">${isolated(author.name)}</a>
<a class="hint" href="#note-${id}">${ago(created_at)}</a>${path !== null && html` <span class="hint">${isolated(path)}, line ${line}</span>`}</header><div class="prose">${body}</div></article>`
}

/** Notes below the lines that they are about. */
export function noteHooks(notes: readonly Note[], takesNotes: boolean): DiffHooks {
  return {
    takesNotes,
    notesOf(file) {
      const below = new Map<string, Html>()
      for (const { comment, view } of notes) {
        if (!isAbout(comment, file)) continue
        const key = `${comment.line_type === 'old' ? 'L' : 'R'}${comment.line}`
        const before = below.get(key)
        below.set(key, before ? html`${before}${view}` : view)
      }
      return { below, above: null }
    },
  }
}

function isAbout({ path, line_type }: Comment, { old_path, new_path }: FileDiff): boolean {
  return path !== null && (path === new_path || (line_type === 'old' && path === old_path))
}

/** The form; with a path, for a line of that file. */
export function noteForm({ action, token, typed, path }: { action: string; token: Html; typed: Typed; path: string | null }): Html {
  const at = typed.values.path || path
  const place =
    at !== null &&
    html`${hidden({ path: at })}<p>${isolated(at)}</p><div class="filters">${field('Line', 'line', typed, { type: 'number', min: 1, id: 'note-' })}
${select(
  'Of the file',
  'line_type',
  typed,
  [
    ['new', 'as it is now'],
    ['old', 'as it was before'],
  ],
  { id: 'note-' },
)}</div>`
  return form(
    { action, token, submit: 'Add note' },
    html`${place}${textArea('Note', 'note', typed, { required: true, rows: 4, hint: sentences.markdown, id: 'new-' })}`,
  )
}
