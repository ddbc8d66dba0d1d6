/** The changes of files as pages show them: each line with its numbers, and signs that don't depend on colours. */
import type { FileDiff } from '../../../git/diff/diff-reader.ts'
import { type DiffRow, rowsOf } from '../../../git/diff/hunks.ts'
import { type Html, html } from '../../frame/html.ts'

const signs = { hunk: '', added: '+', removed: '−', same: ' ' } as const

export function filesOf(diffs: readonly FileDiff[]): Html {
  return html`${diffs.map((diff, index) => fileOf(diff, index))}`
}

function fileOf(diff: FileDiff, index: number): Html {
  const { old_path, new_path, renamed_file, new_file, deleted_file, patch, too_large, collapsed } = diff
  const change = new_file ? 'added' : deleted_file ? 'deleted' : renamed_file ? 'renamed' : ''
  const empty = too_large || collapsed ? 'Too large to be shown.' : 'No lines have changed.'
  return html`<section class="file" id="file-${index}" aria-label="${new_path}"><header><span>${renamed_file && html`${old_path} → `}${new_path}</span>
${change !== '' && html`<span class="tag">${change}</span>`}</header>${
    patch.startsWith('Binary files') || patch === ''
      ? html`<p class="empty">${patch === '' ? empty : 'The file is not text.'}</p>`
      : html`<table class="diff"><tbody>${[...rowsOf(patch)].map(rowOf)}</tbody></table>`
  }</section>`
}

function rowOf({ kind, old_line, new_line, text }: DiffRow): Html {
  if (kind === 'hunk') return html`<tr class="hunk"><td></td><td></td><td>${text}</td></tr>`
  return html`<tr class="${kind}"><td>${old_line}</td><td>${new_line}</td><td data-sign="${signs[kind]}">${text}</td></tr>`
}
