/** Suggestions below the lines that they would replace, and the form for several of them. */

import type { MergeRequest } from '../../../db/tables.ts'
import { isApplicable, linesOfSuggestion } from '../../../features/review/diff-notes/diff-notes.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'
import { field, postButton, untouched } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import type { Threads } from '../../planning/discussion/threads.ts'
import { suggestionSentences as sentences } from './sentences.ts'

/** The id of the form that the checkboxes of suggestions belong to. */
export const suggestionsForm = 'suggestions'

type Seen = Pick<Visit, 'token'> & Pick<ProjectGranted, 'project'> & { merge_request: MergeRequest }

type Suggested = Pick<Threads['threads'][number][number], 'note'> & {
  suggestion: Threads['threads'][number][number]['suggestions'][number]
  /** URL of the changes, which is the prefix of the URL that applies it. */
  changes: string
  /** URL of the page to return to, if not the changes. */
  back?: string
  mayPush: boolean
  /** Whether there are others that it can be applied with. */
  isOneOfSeveral: boolean
}

/** The lines that it replaces, the new ones, and the button that applies it. */
export function suggestionView(
  { token, merge_request, project }: Seen,
  { note, suggestion, changes, back = '', mayPush, isOneOfSeveral }: Suggested,
): Html {
  const { id, from_content, to_content, applied } = suggestion
  const { from_line, to_line } = linesOfSuggestion(suggestion, note)
  const applicable = isApplicable(suggestion, note, merge_request)
  const lines = (text: string, sign: string, name: string) =>
    html`${text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => html`<tr class="${name}"><td>${sign}</td><td>${line}</td></tr>`)}`
  const button =
    applicable &&
    mayPush &&
    !project.archived &&
    postButton(t`Apply the suggestion`, { action: `${changes}/suggestions/${id}/apply`, token, fields: back === '' ? {} : { back } })
  const choice =
    button &&
    isOneOfSeveral &&
    html`
      <span class="field box"><input type="checkbox" id="suggestion-${id}" name="ids[]" value="${id}" form="${suggestionsForm}">
        <label for="suggestion-${id}">${sentences.selectSuggestion}</label></span>
    `
  return html`
    <div class="suggestion">
      <p class="hint">
        Suggested for
        ${from_line === to_line ? t`line ${from_line}` : t`lines ${from_line} to ${to_line}`}${
          applied ? html`: ${sentences.wasApplied}` : !applicable && html`: ${sentences.cantApply}`
        }
      </p>
      <table class="diff">
        <tbody>${lines(from_content, '−', 'd')}${to_content !== '' && lines(to_content, '+', 'a')}</tbody>
      </table>
      ${button && html`<div class="actions">${button}${choice}</div>`}
    </div>
  `
}

/** How many suggestions can be applied to the newest version. */
export function countApplicable({ threads }: Threads, merge_request: MergeRequest): number {
  return threads
    .flat()
    .reduce(
      (sum, { note, suggestions }) => sum + suggestions.filter((suggestion) => isApplicable(suggestion, note, merge_request)).length,
      0,
    )
}

/** For several suggestions in one commit: their checkboxes are beside them, and belong to this form. */
export function suggestionsBar({ merge_request, token }: Seen, threads: Threads, changes: string): Html | null {
  const applicable = countApplicable(threads, merge_request)
  if (applicable < 2) return null
  const message = field(t`Commit message`, 'message', untouched, { hint: sentences.messageHint, id: 'suggestions-' })
  return html`
    <form class="suggestions-bar panel" id="${suggestionsForm}" method="post" action="${changes}/suggestions">
      ${token}
      <p>${icon('edit')} ${sentences.canBeApplied(applicable)}</p>
      ${message}
      <p class="actions"><button>Apply the selected suggestions</button></p>
    </form>
  `
}
