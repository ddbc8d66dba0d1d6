/** The page with the changes of a merge request: versions, files, discussions on lines, and the viewer's review. */

import { changedFiles } from '../../../git/diff/changed-files.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { signInFrom } from '../../frame/addresses.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { field, hidden, markdownField, problemsOf, select, textFieldScript, untouched } from '../../frame/forms.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import type { RefusedNote } from '../../planning/discussion/discussion.ts'
import { refusalToComment } from '../../planning/discussion/threads.ts'
import { shortId } from '../../repository/history/commits.ts'
import { diffScripts, diffView, pathOf } from '../../repository/history/diff/diff-view.ts'
import { addressWith, isSplit, lookOf } from '../../repository/history/diff/options.ts'
import { mergeRequestView } from '../merge-requests/frame.ts'
import { positionWords } from '../merge-requests/note-positions.ts'
import { mergeRequestAddress } from '../merge-requests/parts.ts'
import { readFrame } from '../merge-requests/read.ts'
import { type MergeRequestSeen, noteableOf } from '../merge-requests/seen.ts'
import { suggestionsBar } from '../suggestions/suggestions-view.ts'
import { addressOf, type ChangesOptions, type Compared, comparedVersions, defaults, placeIn } from './compared-versions.ts'
import { hooksOf, openOnes, refFields } from './hooks.ts'
import { readTalked, type Talked } from './read.ts'
import { reviewForm } from './review-form.ts'
import { sentences } from './sentences.ts'

/** A rejected form: a reply by its discussion, or a new comment. */
export type Refused = RefusedNote

/** At most forty statements, and the processes of `diffView`. */
export async function changesView(
  known: MergeRequestSeen,
  options: ChangesOptions = defaults,
  refused: Refused | null = null,
  refusedReview: Typed | null = null,
): Promise<View> {
  const { seen, framed } = await readFrame(known)
  const { app, repo, project, merge_request } = seen
  const changes = `${mergeRequestAddress(project, merge_request.iid)}/diffs`
  const { version } = framed
  if (!version || version.state === 'empty')
    return mergeRequestView(seen, framed, 'diffs', {
      title: t`Changes`,
      main: html`<section aria-label="Changes">${emptyState(sentences.noCommits)}</section>`,
    })
  const compared = await comparedVersions(app, repo, merge_request, version, options)
  const talked = await readTalked(seen)
  const address = addressOf(changes, options)
  const range = { repo, from: compared.refs.base_sha, to: compared.refs.head_sha }
  const back = addressWith(address, { ...lookOf(options), file: options.file, only: options.only })
  const hooks = hooksOf({ seen, talked, compared, changes, back, mayPush: framed.source.mayPush, refused })
  const mayApply = framed.source.mayPush && !project.archived
  const versions = versionForm(changes, talked, compared, options)
  const diff = await diffView({ range, options, address, project: project.full_path, hooks: { ...hooks, comparedIn: versions.form } })
  const path = options.only ? await pathOf(range, options) : null
  const review = await reviewForm(seen, { talked, compared, changes, typed: refusedReview })
  const jumps = await jumpsOf({ seen, talked, compared, options, address, changes })
  return mergeRequestView(seen, framed, 'diffs', {
    title: t`Changes`,
    scripts: [...diffScripts, 'review.js', 'planning.js', textFieldScript],
    main: html`
      <section class="changes" aria-label="Changes">
        ${compared.refs.base_sha === null && html`<p class="notice">${sentences.unrelated}</p>`}
        ${interdiffLine(compared, addressWith(addressOf(changes, { ...options, whole: '1' }), lookOf(options)))}
        ${(versions.others !== null || jumps !== null) && html`<div class="changes-head">${versions.others}${jumps}</div>`}
        ${refusedReview && review}${mayApply && suggestionsBar(seen, talked.threads, changes)}${diff}${!refusedReview && review}
        ${noteForm(seen, { compared, changes, path, options, refused })}
      </section>
    `,
  })
}

/** A notice above the comparison of versions with different bases. */
function interdiffLine({ interdiff }: Compared, whole: string): Html | null {
  if (interdiff === null) return null
  if (interdiff.kind === 'unclear') return html`<p class="notice">${sentences.interdiff.unclear}</p>`
  const words = interdiff.isSame ? sentences.interdiff.same : sentences.interdiff.clean
  return html`<p class="notice">${words} <a href="${whole}">${sentences.interdiff.whole}</a></p>`
}

interface VersionLinks {
  /** The menu that chooses what is compared. */
  form: Html
  /** Links to other comparisons that the viewer may need. */
  others: Html | null
}

function versionForm(changes: string, { versions, last }: Talked, { shown, before }: Compared, options: ChangesOptions): VersionLinks {
  const newest = versions[0]
  const numberOf = (id: number) => versions.length - versions.findIndex((version) => version.id === id)
  const label = ({ id, head_oid }: Talked['versions'][number]) => t`Version ${numberOf(id)} (${shortId(head_oid)})`
  const look = Object.entries(lookOf(options)).filter(([name, value]) => value !== defaults[name as 'view' | 'w'])
  const isBehind = last !== null && newest !== undefined && last.id !== newest.id
  const since =
    isBehind && html`<a href="${addressWith(addressOf(changes, { version: 0, from: last.id }), lookOf(options))}">Since I last looked</a>`
  const older =
    newest !== undefined &&
    shown.id !== newest.id &&
    html`<span>${sentences.older} <a href="${addressWith(changes, lookOf(options))}">Newest version</a></span>`
  const typed = { ...untouched, values: { version: String(shown.id), from: String(before?.id ?? 0) } }
  const form = html`
    <details class="menu versions">
      <summary>
        ${before && html`Version ${numberOf(before.id)} to `}Version ${numberOf(shown.id)}
        <span class="hint">${shortId(shown.head_oid)}, ${ago(shown.created_at)}</span>
      </summary>
      <form class="popup" action="${changes}">
        ${hidden(Object.fromEntries(look))}
        ${select(
          t`Show`,
          'version',
          typed,
          versions.map((version) => [String(version.id), label(version)] as const),
        )}
        ${select(t`Compared with`, 'from', typed, [
          ['0', t`the target branch`],
          ...versions.map((version) => [String(version.id), label(version)] as const),
        ])}
        <button>Compare</button>
      </form>
    </details>
  `
  return { form, others: since || older ? html`<span>${since} ${older}</span>` : null }
}

interface JumpRequest {
  seen: MergeRequestSeen
  talked: Talked
  compared: Compared
  options: ChangesOptions
  address: string
  changes: string
}

/** Unresolved discussions, each a link to its line; with scripts, `n` and `p` go to the next and previous one. */
async function jumpsOf({ seen, talked, compared, options, address, changes }: JumpRequest): Promise<Html | null> {
  const open = openOnes(talked)
  if (open.length === 0) return null
  const { files } = await changedFiles(seen.repo, compared.refs.base_sha, compared.refs.head_sha, options.w === '1')
  const numbers = new Map(
    files.flatMap(({ old_path, new_path }, index) => [[old_path, index + 1] as const, [new_path, index + 1] as const]),
  )
  const entries = open.map((note) => {
    const place = placeIn(note, compared.refs)
    const file = place && (numbers.get(place.new_path) ?? numbers.get(place.old_path))
    const hash = `#discussion_${note.discussion_id}`
    if (!place || file === undefined || file === null)
      return { href: `${changes}/discussions/${note.discussion_id}`, words: sentences.elsewhere, file: Number.POSITIVE_INFINITY, line: 0 }
    const line = place.position_type === 'text' ? (place.new_line ?? place.old_line ?? 0) : 0
    return { href: `${addressWith(address, { ...lookOf(options), file })}${hash}`, words: positionWords(place), file, line }
  })
  entries.sort((one, other) => one.file - other.file || one.line - other.line)
  const first = entries[0]?.href ?? changes
  const end = entries.at(-1)?.href ?? changes
  return html`
    <open-talks class="open-talks"><details class="menu">
        <summary>${count(open.length, 'open discussion')}</summary>
        <ul>${entries.map(({ href, words }) => html`<li><a href="${href}">${isolated(words)}</a></li>`)}</ul>
      </details>
      <a class="button" data-key="p" data-step="-1" href="${end}">Previous</a>
      <a class="button" data-key="n" data-step="1" href="${first}">Next</a></open-talks>
  `
}

interface FormRequest {
  compared: Compared
  changes: string
  /** The file of the page, if it only shows one. */
  path: string | null
  options: ChangesOptions
  refused: Refused | null
}

/** A comment on a line: with scripts, it opens below the line whose number is clicked. */
function noteForm(seen: MergeRequestSeen, { compared, changes, path, options, refused }: FormRequest): Html {
  const refusal = refusalToComment({ ...seen, noteable: noteableOf(seen) })
  if (seen.user === null) return html`<p id="note"><a href="${signInFrom(seen.address)}">Sign in</a> to comment on lines.</p>`
  if (refusal) return html`<div id="note">${refusal}</div>`
  if (compared.interdiff?.kind === 'clean') return html`<p id="note" class="hint">${sentences.interdiff.notes}</p>`
  const typed: Typed = refused?.discussion_id === null ? refused.typed : untouched
  const at = typed.values.path || path || ''
  const body = markdownField(t`Comment`, 'body', typed, { project: seen.project, takesFiles: true, required: true, rows: 4, id: 'new-' })
  return html`
    <section class="notes" aria-labelledby="note-head">
      <h2 id="note-head">Comment on a line</h2>
      <div id="note">
        ${problemsOf(typed.errors, ['body', 'path', 'line', 'from_line'])}
        <form method="post" action="${changes}/notes" data-suggests data-ranges>
          ${seen.token}${refFields(compared.refs)}${hidden({ view: isSplit(options) ? 'split' : 'unified', w: options.w })}
          <div class="filters">
            ${field(t`File`, 'path', typed, { value: at, required: true, id: 'note-' })}
            ${field(t`Line`, 'line', typed, {
              type: 'number',
              min: 1,
              hint: sentences.wholeFile,
              id: 'note-',
            })}
            ${field(t`From line`, 'from_line', typed, { type: 'number', min: 1, hint: sentences.severalLines, id: 'note-' })}
            ${select(
              t`Side`,
              'line_type',
              typed,
              [
                ['new', t`New`],
                ['old', t`Old`],
              ],
              { id: 'note-' },
            )}
          </div>
          ${body}
          <p class="actions">
            <button class="primary">Comment</button><button name="act" value="draft">Add to review</button>
          </p>
        </form>
      </div>
    </section>
  `
}
