/** A list within a form: the changes chosen above it are applied to the selected rows. */

import type { LocatedProject } from '../../../access/find.ts'
import type { PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, hidden, problemsOf, select, untouched } from '../../frame/forms.ts'
import type { ListWords } from './listing.ts'
import { milestoneChoices, namesField } from './names.ts'
import { sentences } from './sentences.ts'

interface Many {
  list: Html
  /** The current URL of the list. */
  here: string
  milestones: readonly PlacedMilestone[]
  typed: Typed | null
}

const states = (): readonly Choice[] => [
  ['', t`No change`],
  ['close', t`Close`],
  ['reopen', t`Reopen`],
]

interface Place {
  name: string
  words: () => ListWords
  project: LocatedProject
  token: Html
}

export function manyForm({ name, words, project, token }: Place, { list, here, milestones, typed }: Many): Html {
  const shown = typed ?? untouched
  const [noMilestone, ...others] = milestoneChoices(milestones, null)
  const choices: Choice[] = [['', t`No change`], ...(noMilestone ? [noMilestone] : []), ...others]
  const names = (label: string, field: string, key: '@' | '~', hint?: string) =>
    namesField(label, field, shown, key, project, { id: 'many-', isSingle: key === '@', ...(hint !== undefined && { hint }) })
  return html`
    <form method="post" action="/${project.full_path}/${name}/bulk_update">
      ${token}${hidden({ back: here })}
      <details class="edit-many panel"${typed && html` open`}>
        <summary>${words().changeSelected} <span class="hint selected-count"></span></summary>
        ${typed && problemsOf(typed.errors, ['assignee', 'add_labels'])}
        <div class="field box">
          <input id="many-all" type="checkbox" data-all><label for="many-all">Select all on this page</label>
        </div>
        <div class="filter-fields">
          ${select(t`State`, 'state_event', shown, states(), { id: 'many-' })}
          ${names(
            t`Assignee`,
            'assignee',
            '@',
            sentences.assigneeHint,
          )}${select(t`Milestone`, 'milestone_id', shown, choices, { id: 'many-' })}${names(
            t`Add labels`,
            'add_labels',
            '~',
          )}${names(t`Remove labels`, 'remove_labels', '~')}
        </div>
        <p class="actions"><button class="primary">Change</button></p>
      </details>
      ${list}
    </form>
  `
}
