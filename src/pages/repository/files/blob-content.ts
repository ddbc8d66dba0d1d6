/** The content of a file on its page: code, an image, Markdown, the target of a link or of an LFS pointer, or only a download. */

import type { LocatedProject } from '../../../access/find.ts'
import { addressAt } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { Reader } from '../../../features/discussion/references/references.ts'
import { isMisleading, markupOf } from '../../../features/instance/markdown/markdown.ts'
import { highlightBlob } from '../../../features/repository/highlighting/highlighting.ts'
import { findLargeFiles, pointerIn } from '../../../features/repository/lfs/lfs.ts'
import { textOf as decoded } from '../../../git/objects/text-of.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { count, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Place } from '../../project/address.ts'
import { codeOf, linesOf, maxLines, plainLines } from './code.ts'
import { dataOf, type FoundFile, isText, pictureType } from './found.ts'
import { fileName, folderOf, pathFrom } from './names.ts'
import { proseOfFile } from './readme.ts'
import { sentences } from './sentences.ts'
import { type CodeSymbol, symbolsOf } from './symbols.ts'

/** Larger files are only offered for download. */
const maxShown_bytes = 2 * 1024 * 1024

export interface Shown {
  /** The content of the section of the file. */
  content: Html
  /** The number of lines and bytes. */
  facts: string
  /** Whether it has lines that can be edited and blamed. */
  isText: boolean
  /** Whether it is rendered; `?plain=1` shows the source. */
  isRendered: boolean
  /** Declarations in the file. Their names are HTML, as the lines are. */
  symbols: CodeSymbol[]
}

interface Wanted {
  project: LocatedProject
  repo: Repo
  place: Place
  file: FoundFile
  /** Shows the source, even of a file that can be rendered. */
  plain: boolean
  reader: Reader
}

export async function contentOf(app: App, wanted: Wanted): Promise<Shown> {
  const { project, repo, place, file, plain } = wanted
  const raw = addressAt(project.full_path, 'raw', place.revision, place.path)
  const data = await dataOf(repo, file, maxShown_bytes)
  const bytes = size(file.size)
  const offer = (why: string): Shown => ({
    content: html`<p class="empty">${why} <a href="${raw}?inline=false" download>Download</a></p>`,
    facts: bytes,
    isText: false,
    isRendered: false,
    symbols: [],
  })
  if (file.mode === '120000' && data) return { ...offer(''), content: linkTo(project, place, data) }
  const pointer = data && pointerIn(data)
  if (pointer) return largeFile(app, wanted, pointer, raw)
  const picture = pictureType(file.name) ? raw : /\.svg$/i.test(file.name) && !plain ? `${raw}?as=picture` : null
  if (picture !== null && file.size > 0) {
    const isVector = picture !== raw
    return {
      content: html`<p class="picture"><img src="${picture}" alt="${file.name}"></p>`,
      facts: bytes,
      isText: isVector,
      isRendered: isVector,
      symbols: [],
    }
  }
  if (!data) return offer(sentences.too_large_to_show(file.size))
  if (!isText(data)) return offer(sentences.not_text)
  return textOf(app, wanted, data)
}

async function textOf(app: App, { project, repo, place, file, plain, reader }: Wanted, data: Buffer): Promise<Shown> {
  const text = decoded(data)
  const lines = linesOf(text)
  const facts = [count(lines.length, 'line'), size(file.size)].join(', ')
  const shown = { facts, isText: true, symbols: [] }
  const markup = markupOf(file.name)
  if (markup && !plain) {
    const prose = await proseOfFile(app, { project, repo, place, reader, path: place.path, text, markup })
    if (prose) return { ...shown, content: html`<div class="prose">${prose}</div>`, isRendered: true }
  }
  const warning = isMisleading(text) && html`<p class="problems">${sentences.misleading}</p>`
  if (lines.length === 0) return { ...shown, content: html`<p class="empty">${sentences.empty_file}</p>`, isRendered: false }
  const isCut = lines.length > maxLines
  const highlighted = isCut ? null : await highlightBlob(repo, { oid: file.oid, path: place.path })
  const content = html`${warning}${codeOf(highlighted?.lines ?? plainLines(lines.slice(0, maxLines)))}${
    isCut && html`<p class="empty">${sentences.lines_left_out(maxLines, lines.length)}</p>`
  }`
  return { ...shown, content, isRendered: false, symbols: highlighted ? symbolsOf(highlighted.lines) : [] }
}

/** The target of a symbolic link, as a link if it is within the repository. */
function linkTo({ full_path }: LocatedProject, { revision, path }: Place, data: Buffer): Html {
  const target = data.toString('utf8')
  const resolved = pathFrom(folderOf(path), target)
  const name = fileName(target.slice(0, 4_096))
  return html`<p class="empty">${sentences.symlink} ${
    resolved === null
      ? html`<code>${name}</code>`
      : html`<a href="${addressAt(full_path, 'blob', revision, resolved)}"><code>${name}</code></a>`
  }</p>`
}

async function largeFile(
  app: App,
  { project, file }: Wanted,
  { oid, size: bytes }: { oid: string; size: number },
  raw: string,
): Promise<Shown> {
  const found = (await findLargeFiles(app.db, project.id, [oid])).get(oid)
  const type = pictureType(file.name)
  const content = found
    ? html`
      ${type && html`<p class="picture"><img src="${raw}" alt="${file.name}"></p>`}
      <p class="empty">
        ${sentences.large_file(bytes)} ${!type && sentences.large_file_shown_raw}
        <a href="${raw}?inline=false" download>Download</a>
      </p>
    `
    : html`<p class="empty">${sentences.large_file(bytes)} ${sentences.large_file_missing}</p>`
  return { content, facts: t`Git LFS, ${size(bytes)}`, isText: false, isRendered: false, symbols: [] }
}
