/** The changed files as a tree of folders, each a link to its diff. */

import type { ChangedFile, ChangedFiles } from '../../../../git/diff/changed-files.ts'
import { type Html, html } from '../../../../html/html.ts'
import { translated } from '../../../../html/sentences.ts'
import { isolated } from '../../../frame/parts.ts'
import { sentences } from './sentences.ts'

interface Folder {
  folders: Map<string, Folder>
  files: Array<{ name: string; number: number; file: ChangedFile }>
}

/** The rest is only counted. */
const maxShown = 1_000
/** Folders below this are shown as one path: only malicious paths are so deep. */
const maxDepth = 12

export interface FileLinks {
  /** The URL of the diff of a file, by its place from 1. */
  addressOf: (number: number) => string
  /** A mark beside its name. */
  markOf?: ((file: ChangedFile) => Html | null) | undefined
}

export function fileTree({ files, total }: ChangedFiles, links: FileLinks): Html {
  const root: Folder = { folders: new Map(), files: [] }
  for (const [index, file] of files.slice(0, maxShown).entries()) insert(root, file, index + 1)
  const left = total - Math.min(files.length, maxShown)
  return html`<nav class="diff-tree" aria-label="Changed files">${listOf(root, links)}${
    left > 0 && html`<p class="hint">${sentences.moreListed(left)}</p>`
  }</nav>`
}

function insert(root: Folder, file: ChangedFile, number: number): void {
  const parts = file.new_path.split('/')
  const deep = parts.length > maxDepth
  const name = (deep ? parts.slice(maxDepth - 1).join('/') : parts.at(-1)) ?? ''
  let folder = root
  for (const part of parts.slice(0, deep ? maxDepth - 1 : -1)) {
    const next: Folder = folder.folders.get(part) ?? { folders: new Map(), files: [] }
    folder.folders.set(part, next)
    folder = next
  }
  folder.files.push({ name, number, file })
}

function listOf({ folders, files }: Folder, links: FileLinks): Html {
  return html`<ul>${[...folders].map(([name, folder]) => folderOf(name, folder, links))}${files.map(
    ({ name, number, file }) =>
      html`<li><a href="${links.addressOf(number)}">${isolated(name)}</a>${letterOf(file)}${links.markOf?.(file) ?? null}</li>`,
  )}</ul>`
}

/** Folders that only contain one folder are shown as one line. */
function folderOf(name: string, folder: Folder, links: FileLinks): Html {
  const [only, ...others] = folder.folders
  if (only && others.length === 0 && folder.files.length === 0) return folderOf(`${name}/${only[0]}`, only[1], links)
  return html`<li><details open><summary>${isolated(name)}</summary>${listOf(folder, links)}</details></li>`
}

const letters: Record<string, string> = translated({ A: 'added', D: 'deleted', R: 'renamed', T: 'type changed' })

function letterOf({ status }: ChangedFile): Html | null {
  const word = letters[status]
  return word === undefined ? null : html` <span class="hint">${word}</span>`
}
