/** The conflicts of a merge request: its files, the sides of each section, and the form that commits. */

import {
  type ConflictShown,
  type Conflicts,
  conflictsOf,
  type FileResolution,
  type Side,
  type Unresolved,
  usualMessage,
} from '../../../features/commands/merging/merging.ts'
import { type Mergeability, mergeabilityOf } from '../../../features/review/mergeability/mergeability.ts'
import type { Section } from '../../../git/write/conflicts.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { withLineFeeds } from '../../../text/line-breaks.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { hidden, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { copyable, emptyState, isolated } from '../../frame/parts.ts'
import { mergeRequestView } from '../merge-requests/frame.ts'
import { branchTag, mergeRequestAddress } from '../merge-requests/parts.ts'
import { readFrame } from '../merge-requests/read.ts'
import type { MergeRequestSeen } from '../merge-requests/seen.ts'
import { sentences } from './sentences.ts'

/** The submitted form, if it was rejected. */
export interface RefusedResolution {
  typed: Typed
  files: readonly FileResolution[]
  unresolved: Unresolved
}

const nothing: RefusedResolution = { typed: untouched, files: [], unresolved: {} }

/** At most twenty statements and five processes. */
export async function conflictsView(known: MergeRequestSeen, refused: RefusedResolution = nothing): Promise<View> {
  const { seen, framed } = await readFrame(known)
  const { app, project, repo } = seen
  const mergeability = await mergeabilityOf(app, seen.merge_request, project, repo)
  const view = (main: Html) =>
    mergeRequestView(seen, framed, null, {
      title: t`Conflicts`,
      main: html`
        <section class="conflicts" aria-labelledby="conflicts">
          <h2 id="conflicts">Conflicts</h2>
          ${problemsOf(refused.typed.errors, [])}${main}
        </section>
      `,
    })
  const sides = sidesOf(mergeability)
  const conflicts = sides && (await conflictsOf(repo, seen.merge_request, sides))
  if (!sides || !conflicts || conflicts.files.length === 0) {
    const sentence = seen.merge_request.state === 'opened' ? sentences.noConflicts : sentences.notOpen
    return view(
      emptyState(sentence, html`<a class="button" href="${mergeRequestAddress(project, seen.merge_request.iid)}">Merge request</a>`),
    )
  }
  const mayResolve = framed.source.mayPush && !project.archived
  return view(conflictsForm({ seen, conflicts, sides, refused, mayResolve }))
}

/** Null if there is no conflict. */
function sidesOf({ obstacles, version, target_oid }: Mergeability): { ours: string; theirs: string } | null {
  if (!obstacles.includes('conflict') || !version || target_oid === null) return null
  return { ours: version.head_oid, theirs: target_oid }
}

interface FormRequest {
  seen: MergeRequestSeen
  conflicts: Conflicts
  sides: { ours: string; theirs: string }
  refused: RefusedResolution
  mayResolve: boolean
}

function conflictsForm({ seen, conflicts, sides, refused, mayResolve }: FormRequest): Html {
  const { project, merge_request, token } = seen
  const { source_branch, target_branch, iid } = merge_request
  const unresolvable = conflicts.files.filter(({ reason }) => reason !== null)
  const isOffered = mayResolve && unresolvable.length === 0
  const files = conflicts.files.map((file, index) =>
    fileView(file, {
      index,
      isOffered,
      branches: { ours: source_branch, theirs: target_branch },
      sent: refused.files.find(({ path }) => path === file.path) ?? null,
      problem: refused.unresolved[file.path] ?? null,
    }),
  )
  const total = html`
    <p>
      ${count(conflicts.files.length, 'file')} in conflict between ${branchTag(source_branch, { project: null })} and
      ${branchTag(target_branch, { project })}. ${isOffered && sentences.conflictHint}
    </p>
  `
  if (!isOffered)
    return html`${total}<p class="notice">${mayResolve ? sentences.cantResolve : sentences.mayNotPush}</p>${inClone(seen)}${files}`
  const unresolved = Object.keys(refused.unresolved).length
  const message = textArea(t`Commit message`, 'message', refused.typed, { value: usualMessage(merge_request, conflicts), rows: 5 })
  return html`
    ${total}
    ${unresolved > 0 && html`<div class="problems" role="alert"><p>${sentences.stillOpen(unresolved)}</p></div>`}
    <form method="post" action="${mergeRequestAddress(project, iid)}/conflicts">
      ${token}${hidden({ source_sha: sides.ours, target_sha: sides.theirs })}${files}${message}
      <p class="actions"><button class="primary">Commit to the source branch</button></p>
    </form>
  `
}

interface FileRequest {
  index: number
  isOffered: boolean
  branches: { ours: string; theirs: string }
  sent: FileResolution | null
  problem: Unresolved[string] | null
}

function fileView(file: ConflictShown, { index, isOffered, branches, sent, problem }: FileRequest): Html {
  const id = `f${index + 1}`
  const name = `files[${index}]`
  const { path, reason, sections, text } = file
  let at = -1
  const found = (sections ?? []).map((section, place, all) => {
    if (section.kind === 'common') return commonView(section.lines, { isFirst: place === 0, isLast: place === all.length - 1 })
    at += 1
    return conflictView(section, {
      id: `${id}-${at}`,
      name: `${name}[sides][${at}]`,
      number: at + 1,
      branches,
      isOffered,
      chosen: sent?.sides[at] ?? null,
    })
  })
  const total = at + 1
  const isEdited = sent !== null && sent.text !== null && sent.text.trimEnd() !== withLineFeeds(text).trimEnd()
  const written = sent?.text ?? text
  return html`
    <section class="file conflict-file" id="${id}" aria-labelledby="${id}-name">
      <header>
        <h3 id="${id}-name">${isolated(path)}</h3>
        <span>${total > 0 && count(total, 'conflict')}</span>
      </header>
      ${problem !== null && html`<p class="error">${sentences.problems[problem]}</p>`}
      ${reason !== null && html`<p class="empty">${sentences.cantResolveFile(sentences.reasons[reason])}</p>`}
      ${reason === null && sections === null && html`<p class="empty">${sentences.markersInFile}</p>`}
      ${found}
      ${
        isOffered &&
        html`
          <input type="hidden" name="${name}[path]" value="${path}">
          <details class="whole-text"${(isEdited || sections === null) && html` open`}>
            <summary>Edit the text instead</summary>
            <div class="field">
              <label for="${id}-text">Text of <bdi>${path}</bdi></label>
              <p class="hint" id="${id}-hint">${sentences.textHint}</p>
              <textarea
                id="${id}-text"
                name="${name}[text]"
                rows="16"
                spellcheck="false"
                aria-describedby="${id}-hint"
              >\n${written}</textarea>
            </div>
          </details>
        `
      }
    </section>
  `
}

interface ConflictRequest {
  /** Prefix of the ids of its fields. */
  id: string
  name: string
  number: number
  branches: { ours: string; theirs: string }
  isOffered: boolean
  chosen: Side | null
}

function conflictView(
  { ours, theirs }: Extract<Section, { kind: 'conflict' }>,
  { id, name, number, branches, isOffered, chosen }: ConflictRequest,
): Html {
  const side = (value: Side, words: Html, content: Html | null) =>
    html`
      <div class="side">
        ${
          isOffered
            ? html`
              <p>
                <input
                  type="radio"
                  id="${id}-${value}"
                  name="${name}"
                  value="${value}"
                  ${value === chosen && html` checked`}
                >
                <label for="${id}-${value}">${words}</label>
              </p>
            `
            : html`<p>${words}</p>`
        }
        ${content}
      </div>
    `
  const branch = (name: string) => html`<code><bdi>${name}</bdi></code>`
  return html`
    <fieldset class="conflict-sides">
      <legend>Conflict ${number}</legend>
      ${isOffered && html`<input type="hidden" name="${name}" value="">`}
      ${side('ours', html`${branch(branches.ours)}, the source branch`, linesView(ours))}
      ${side('theirs', html`${branch(branches.theirs)}, the target branch`, linesView(theirs))}
      ${isOffered && side('both', html`Both, one after the other`, null)}
    </fieldset>
  `
}

function linesView(lines: readonly string[]): Html {
  if (lines.length === 0) return html`<p class="hint">${sentences.noLines}</p>`
  return html`<pre>${lines.join('\n')}</pre>`
}

/** Shown around a conflict. */
const context = 3

/** Lines next to a conflict; the rest is only counted. */
function commonView(lines: readonly string[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): Html {
  const [after, before] = [isFirst ? 0 : context, isLast ? 0 : context]
  const left = lines.length - after - before
  if (left <= 1) return html`<pre class="common" tabindex="0">${lines.join('\n')}</pre>`
  const part = (some: readonly string[]) => some.length > 0 && html`<pre class="common" tabindex="0">${some.join('\n')}</pre>`
  return html`
    ${part(lines.slice(0, after))}
    <p class="hint">${sentences.alike(count(left, 'line'))}</p>
    ${part(lines.slice(lines.length - before))}
  `
}

/** Commands for conflicts that can't be resolved on the page. */
function inClone({ app, project, merge_request }: MergeRequestSeen): Html {
  const { source_branch, target_branch } = merge_request
  const commands = [
    `git fetch ${app.config.url}/${project.full_path}.git ${inShell(target_branch)}`,
    `git checkout ${inShell(source_branch)}`,
    'git merge FETCH_HEAD',
  ]
  return copyable(t`Commands to merge the target branch in a clone`, commands.join(' && '))
}

/** Names of branches may contain characters that are special in shells. */
function inShell(name: string): string {
  return /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
}
