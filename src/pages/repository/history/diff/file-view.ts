/** One changed file: its header, and its changes. */

import { addressAt } from '../../../../addresses/repository.ts'
import { highlightBlobs } from '../../../../features/repository/highlighting/highlighting.ts'
import type { ChangedFile, ChangedFiles } from '../../../../git/diff/changed-files.ts'
import type { FileDiff } from '../../../../git/diff/diff-reader.ts'
import type { DiffRow } from '../../../../git/diff/hunks.ts'
import { Html, html } from '../../../../html/html.ts'
import { size } from '../../../../html/phrases.ts'
import { t } from '../../../../html/sentences.ts'
import { isolated } from '../../../frame/parts.ts'
import { isPicture, largeFileOf, type Sides, submoduleOf } from './content.ts'
import { type Colours, type LineOptions, splitRows, unifiedRows } from './lines.ts'
import { addressWith, type DiffOptions, isSplit, lookOf, widerContext } from './options.ts'
import type { DiffRange, ShownFile } from './part.ts'
import { sentences } from './sentences.ts'

/** A point of an image with a discussion: fractions of its width and height, from 0 to 1. */
export interface PointShown {
  x: number
  y: number
  href: string
}

/** Content that the page around a diff adds to it. */
export interface DiffHooks {
  /** Content below lines of a file (`R12`: line 12 of the new file, `L5`: line 5 of the old), and below its header. */
  notesOf?: (file: FileDiff, rows: readonly DiffRow[] | null) => { below: ReadonlyMap<string, Html>; above: Html | null }
  /** Discussions on points of an image. */
  pointsOf?: (file: FileDiff) => PointShown[]
  /** Whether the viewer may write notes on lines. */
  takesNotes?: boolean
  /** Actions on a file, in its header. */
  actionsOf?: (file: FileDiff) => Html | null
  /** Why a file is collapsed; null for one that isn't. */
  foldedBy?: (file: FileDiff) => string | null
  /** Names the two sides, at the start of the bar above the changes. */
  comparedIn?: Html
  /** The viewer's progress with the changes, in the same bar. */
  progressOf?: (changed: ChangedFiles) => Html | null
  /** Marks beside files in the tree. */
  markOf?: (file: ChangedFile) => Html | null
}

/** The URL of a file at a commit: its page, or its raw content. */
export type FileAddress = (kind: 'blob' | 'raw', commit: string, path: string) => string

export interface DiffFrame {
  range: DiffRange
  options: DiffOptions
  /** URL of the page, without the options of the diff. */
  address: string
  /** The full path of the project with the files, or a function that returns their URLs. */
  project: string | FileAddress
  hooks: DiffHooks
  /** When the page is sent, whether or not all highlighting is ready: in milliseconds since the epoch. */
  ends_at: number
}

export async function fileView(file: ShownFile, frame: DiffFrame): Promise<Html> {
  const { number, diff } = file
  const { address, options, hooks } = frame
  const folded = options.only ? null : (hooks.foldedBy?.(diff) ?? null)
  const notes = hooks.notesOf?.(diff, folded === null ? file.rows : null)
  const alone = addressWith(address, { ...lookOf(options), file: number, only: true })
  return html`<section class="file diff-file" id="f${number}" aria-labelledby="n${number}" data-path="${diff.new_path}"${
    diff.old_path !== diff.new_path && html` data-old="${diff.old_path}"`
  }><header><h3 id="n${number}">${nameOf(diff)}</h3>${tagsOf(diff)}${linesOf(file)}<span class="end">${hooks.actionsOf?.(diff) ?? null} ${
    hooks.takesNotes === true && html`<a href="${alone}#note">Comment</a>`
  } ${linkTo(frame, diff)}</span></header>${notes?.above ?? null}${
    folded === null
      ? await bodyOf(file, frame, alone, notes?.below)
      : html`<p class="empty">${folded} <a class="load" href="${alone}">Show it</a></p>`
  }</section>`
}

function nameOf({ old_path, new_path, renamed_file }: FileDiff): Html {
  return html`${renamed_file && html`${isolated(old_path)} &rarr; `}${isolated(new_path)}`
}

function tagsOf({ new_file, deleted_file, renamed_file, old_mode, new_mode }: FileDiff): Html {
  const change = new_file ? t`added` : deleted_file ? t`deleted` : renamed_file ? t`renamed` : ''
  const mode = new_file || deleted_file || old_mode === new_mode ? '' : t`${old_mode} to ${new_mode}`
  return html`${[change, mode].filter(Boolean).map((text) => html`<span class="tag">${text}</span>`)}`
}

function linesOf({ change }: ShownFile): Html | null {
  if (!change?.additions && !change?.deletions) return null
  return html`
    <span><span class="lines-added">+${change.additions ?? 0}</span>
      <span class="lines-removed">&minus;${change.deletions ?? 0}</span></span>
  `
}

function addressIn({ project }: DiffFrame, kind: 'blob' | 'raw', commit: string, path: string): string {
  return typeof project === 'string' ? addressAt(project, kind, commit, path) : project(kind, commit, path)
}

/** The file after the change, or before it if it was deleted. */
function linkTo(frame: DiffFrame, { new_path, old_path, deleted_file, new_mode }: FileDiff): Html | null {
  const { from, to } = frame.range
  if (new_mode === '160000' || (deleted_file && from === null)) return null
  const address = deleted_file ? addressIn(frame, 'blob', from ?? '', old_path) : addressIn(frame, 'blob', to, new_path)
  return html`<a href="${address}">View file</a>`
}

async function bodyOf(file: ShownFile, frame: DiffFrame, alone: string, below: ReadonlyMap<string, Html> | undefined): Promise<Html> {
  const { diff, change, rows } = file
  const said = (sentence: string, ...more: Html[]) => html`<p class="empty">${sentence} ${more}</p>`
  const submodule = submoduleOf(diff)
  if (submodule)
    return said(
      t`Submodule`,
      sidesOf(submodule, (oid) => html`<code>${oid.slice(0, 8)}</code>`),
    )
  const large = largeFileOf(diff)
  if (large)
    return said(
      sentences.largeFile,
      sidesOf(large, (bytes) => html`${size(bytes)}`),
      rawLinks(frame, diff),
    )
  if (isPicture(diff)) return picturesOf(frame, diff)
  if (diff.patch.startsWith('Binary files')) return said(sentences.binary, rawLinks(frame, diff))
  if (diff.too_large) return said(sentences.tooLarge, rawLinks(frame, diff))
  const show = html`<a class="load" href="${alone}">Show it</a>`
  if (diff.collapsed) return said(sentences.collapsed, show)
  if (rows === null) {
    const lines = (change?.additions ?? 0) + (change?.deletions ?? 0)
    return said(lines > 0 ? sentences.folded(lines) : sentences.foldedLong, show)
  }
  if (diff.patch === '') return said(change?.only_spaces ? sentences.onlySpaces : sentences.noLines)
  return tableOf(file, frame, below)
}

function sidesOf<T>({ old, new: now }: Sides<T>, write: (value: T) => Html): Html {
  return html`${old === null ? t`none` : write(old)} &rarr; ${now === null ? t`none` : write(now)}`
}

/** The raw content of both sides. */
function rawOf(frame: DiffFrame, { old_path, new_path, new_file, deleted_file }: FileDiff): Sides<string> {
  const { from, to } = frame.range
  return {
    old: new_file || from === null ? null : addressIn(frame, 'raw', from, old_path),
    new: deleted_file ? null : addressIn(frame, 'raw', to, new_path),
  }
}

function rawLinks(frame: DiffFrame, diff: FileDiff): Html {
  const { old, new: now } = rawOf(frame, diff)
  return html`${old !== null && html`<a href="${old}">Before</a> `}${now !== null && html`<a href="${now}">After</a>`}`
}

function picturesOf(frame: DiffFrame, diff: FileDiff): Html {
  const { old, new: now } = rawOf(frame, diff)
  const points = frame.hooks.pointsOf?.(diff) ?? []
  const figure = (address: string | null, caption: string, isDiscussed: boolean) =>
    address !== null &&
    html`
      <figure>
        <div class="pointed">
          <img src="${address}" alt="${diff.new_path}" loading="lazy"${isDiscussed && html` data-points`}>${
            isDiscussed && pointsView(points)
          }
        </div>
        <figcaption><a href="${address}">${caption}</a></figcaption>
      </figure>
    `
  return html`<div class="pictures">${figure(old, t`Before`, now === null)}${figure(now, t`After`, now !== null)}</div>`
}

/** Numbers on the image, each a link to its discussion. */
function pointsView(points: readonly PointShown[]): Html | null {
  if (points.length === 0) return null
  return html`
    <svg class="points">
      ${points.map(({ x, y, href }, index) => {
        const [left, top] = [`${(100 * x).toFixed(2)}%`, `${(100 * y).toFixed(2)}%`]
        return html`
          <a href="${href}" aria-label="Comment ${index + 1}">
            <circle cx="${left}" cy="${top}" r="12"></circle>
            <text x="${left}" y="${top}" dy="0.35em">${index + 1}</text>
          </a>
        `
      })}
    </svg>
  `
}

async function tableOf(file: ShownFile, frame: DiffFrame, below: ReadonlyMap<string, Html> | undefined): Promise<Html> {
  const { options, address } = frame
  const { number, nextRow } = file
  const look = isSplit(options) ? 's' : 'u'
  const hasNotes = below !== undefined && below.size > 0
  const rows = hasNotes ? rowsFor(file, frame, { below, colours: await coloursOf(file, frame) }) : await keptRows(file, frame)
  const next = addressWith(address, { ...lookOf(options), file: number, only: true, row: nextRow ?? 1, context: options.context })
  const table = html`<table class="diff ${look}"><tbody>${rows}</tbody></table>`
  return html`${table}${nextRow !== null && html`<p class="more"><a class="next" href="${next}">Show more lines</a></p>`}`
}

/** How long rows without highlighting are cached: if it was late, and if there is none or the queue was full. */
const late_ms = 2_000
const plain_ms = 10_000

/** The highlighting of both sides of the file, as far as it is ready before the page is sent. */
async function coloursOf({ diff }: ShownFile, { range: { repo }, ends_at }: DiffFrame): Promise<Colours> {
  const deadline_ms = Math.max(1, ends_at - Date.now())
  const sides = { old: { oid: diff.old_oid, path: diff.old_path }, new: { oid: diff.new_oid, path: diff.new_path } }
  const found = await highlightBlobs(
    repo,
    Object.values(sides).filter(({ oid }) => !/^0+$/.test(oid)),
    { deadline_ms },
  )
  return { old: found.get(sides.old.oid)?.lines ?? null, new: found.get(sides.new.oid)?.lines ?? null }
}

/** Rows without notes only depend on the diff, so they are cached with it. */
async function keptRows(file: ShownFile, frame: DiffFrame): Promise<Html> {
  const { range, options, address } = frame
  const { from, to, repo } = range
  const { view, w, context, row, only } = options
  const key = [repo.dir, 'rows', from, to, file.number, view, w, context, row, only, address].join(' ')
  const known = repo.git.cache.get<Html>(key)
  if (known) return known
  const colours = await coloursOf(file, frame)
  const rows = rowsFor(file, frame, { colours })
  // Timers are not exact.
  const isLate = Date.now() >= frame.ends_at - 50
  const isPlain = colours.old === null && colours.new === null
  return repo.git.cache.set(key, rows, 100 + 2 * rows.text.length, isLate ? late_ms : isPlain ? plain_ms : 0)
}

function rowsFor({ rows, number, diff }: ShownFile, { options, address }: DiffFrame, more: Pick<LineOptions, 'below' | 'colours'>): Html {
  const context = widerContext(options.context)
  const wider = addressWith(address, { ...lookOf(options), file: number, only: true, context: context ?? 3 })
  const hunk = context === null || diff.new_file || diff.deleted_file ? undefined : html`<a class="load" href="${wider}">Expand</a> `
  const written = isSplit(options) ? splitRows : unifiedRows
  return new Html(written(rows ?? [], { ...more, file: number, hunk }).text)
}
