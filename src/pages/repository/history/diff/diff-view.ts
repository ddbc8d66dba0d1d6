/** A diff as a component of pages: the summary, the tree of files, the files, and the link to the next part. */

import { type ChangedFiles, changedFiles } from '../../../../git/diff/changed-files.ts'
import { type Html, html } from '../../../../html/html.ts'
import { count } from '../../../../html/phrases.ts'
import { t } from '../../../../html/sentences.ts'
import { fileTree } from './file-tree.ts'
import { type DiffFrame, type DiffHooks, type FileAddress, fileView } from './file-view.ts'
import { addressWith, type DiffOptions, isSplit, lookOf } from './options.ts'
import { type DiffRange, readPart } from './part.ts'
import { sentences } from './sentences.ts'

export interface DiffRequest {
  range: DiffRange
  options: DiffOptions
  /** URL of the page, without the options of the diff. */
  address: string
  /** The full path of the project with the files, or a function that returns their URLs. */
  project: string | FileAddress
  hooks?: DiffHooks
}

/** The scripts of a page with a diff. */
export const diffScripts = ['diff.js'] as const

/** How long a page waits for the highlighting of all its files, which is cached then. */
const coloursDeadline_ms = 800

/** Two git processes, cached; no statement. Throws 404 for a file that isn't in the diff, `unprocessable` for a diff too large to list. */
export async function diffView({ hooks = {}, ...request }: DiffRequest): Promise<Html> {
  const frame: DiffFrame = { ...request, hooks, ends_at: Date.now() + coloursDeadline_ms }
  const { options, address } = request
  const part = await readPart(request.range, options)
  const { changed, files, next } = part
  if (changed.total === 0) return html`<p class="empty">${sentences.nothing}</p>`
  const look = lookOf(options)
  const here = new Set(files.map(({ number }) => number))
  const tree = fileTree(changed, {
    addressOf: (number) => (here.has(number) ? `#f${number}` : `${addressWith(address, { ...look, file: number })}#f${number}`),
    markOf: hooks.markOf,
  })
  const views: Html[] = []
  for (const file of files) views.push(await fileView(file, frame))
  return html`
    <diff-view class="diff-page${hooks.takesNotes === true && ' takes-notes'}">
      <h2 class="unseen" id="changes">Changes</h2>
      ${barOf(frame, changed)}
      <div class="diff-columns">
        <details class="diff-files-menu" open>
          <summary>Files</summary>
          ${tree}
        </details>
        <div class="diff-files">${views}${next !== null && moreOf(frame, next, changed.total)}</div>
      </div></diff-view>
  `
}

/** The path of the file that the options name; null if it isn't listed. Uses the cache of `diffView`. */
export async function pathOf({ repo, from, to }: DiffRange, { file, w }: DiffOptions): Promise<string | null> {
  const { files } = await changedFiles(repo, from, to, w === '1')
  return files[file - 1]?.new_path ?? null
}

function moreOf({ options, address }: DiffFrame, next: number, total: number): Html {
  const href = addressWith(address, { ...lookOf(options), file: next })
  return html`<p class="more"><a class="next" rel="next" href="${href}">Show more: ${count(total - next + 1, 'file')} left</a></p>`
}

/** The sum of all changes, and the choices of how it is shown. */
function barOf({ options, address, hooks }: DiffFrame, changed: ChangedFiles): Html {
  const { total, additions, deletions } = changed
  const part = { file: options.file, only: options.only, row: options.row, context: options.context }
  const link = (label: string, change: Partial<DiffOptions>, isCurrent: boolean) =>
    html`
      <a
        href="${addressWith(address, { ...lookOf(options), ...part, ...change })}"
        ${isCurrent && html` aria-current="true"`}
      >${label}</a>
    `
  const isWhole = !options.only && options.file === 1
  return html`
    <div class="diff-bar">
      ${hooks.comparedIn ?? null}
      <span>${count(total, 'changed file')} <span class="lines-added">+${additions}</span>
        <span class="lines-removed">&minus;${deletions}</span></span>
      ${!isWhole && html`<a href="${addressWith(address, lookOf(options))}">All files</a>`}
      <span class="views">${link(t`Unified`, { view: 'unified' }, !isSplit(options))}
        ${link(t`Side by side`, { view: 'split' }, isSplit(options))}</span>
      ${options.w === '1' ? link(t`Show whitespace`, { w: '0' }, false) : link(t`Hide whitespace`, { w: '1' }, false)}
      ${hooks.progressOf?.(changed) ?? null}
    </div>
  `
}
