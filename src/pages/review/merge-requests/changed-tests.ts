/** Changes in test results: the reports of the merge request's newest pipeline, compared with those of its base. */

import { mayReadJobs } from '../../../access/jobs.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { type Comparison, compareSuites, countsOf, type TestSuite, testSuitesOf } from '../../../features/ci/test-reports/test-reports.ts'
import { lastPipelineOf } from '../../../features/repository/commits/commits.ts'
import { headPipelineOf } from '../../../features/review/mergeability/mergeability.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { isolated } from '../../frame/parts.ts'
import { statusBadge } from '../../project/status-badge.ts'
import type { MergeRequestSeen } from './seen.ts'
import { sentences } from './sentences.ts'

/** Limit of tests of each kind that are listed. */
const maxNamed = 50

/** Null if the viewer may not see jobs, or if no job of the newest pipeline has a report. */
export async function changedTests(
  seen: MergeRequestSeen,
  { head_oid, base_oid }: { head_oid: string; base_oid: string | null },
): Promise<Html | null> {
  const { app, project, merge_request } = seen
  if (!mayReadJobs(seen)) return null
  const head = await headPipelineOf(app.db, merge_request, head_oid, project.id)
  const suites = head ? await testSuitesOf(app, { id: head.id, project_id: project.id }) : []
  if (!head || suites.length === 0) return null
  const base = base_oid === null ? null : await lastPipelineOf(app.db, project.id, base_oid)
  const before = base ? await testSuitesOf(app, { id: base.id, project_id: project.id }) : []
  return view(compareSuites(before, suites), suites, {
    report: `${pipelineAddress(project, head.id)}/test_report`,
    hasBase: before.length > 0,
  })
}

function view(changed: Comparison, suites: readonly TestSuite[], { report, hasBase }: { report: string; hasBase: boolean }): Html {
  const { total_count, failed_count, error_count } = countsOf(suites.flatMap(({ cases }) => cases))
  const unreadable = suites.filter(({ error }) => error !== null)
  return html`
    <section aria-labelledby="tests">
      <h2 id="tests">
        Tests ${statusBadge(failed_count + error_count + unreadable.length > 0 ? 'failed' : 'success', report)}
      </h2>
      <p>
        ${count(total_count, 'test')}, ${failed_count + error_count}
        failed${
          hasBase
            ? html`
              : ${changed.new_failures.length} newly, ${changed.existing_failures.length} as before.
              ${count(changed.resolved_failures.length, 'test')} fixed.
            `
            : html`. ${sentences.noTestsBefore}`
        }
      </p>
      ${unreadable.map(({ name, error }) => html`<p class="problems">${isolated(name)}: ${error}</p>`)}
      ${named(hasBase ? t`Newly failed` : t`Failed`, changed.new_failures)}
      ${named(t`Failed as before`, changed.existing_failures)}${named(t`Fixed`, changed.resolved_failures)}
    </section>
  `
}

function named(title: string, cases: Comparison['new_failures']): Html | null {
  if (cases.length === 0) return null
  const rows = cases.slice(0, maxNamed)
  return html`
    <h3>${title}</h3>
    <ul class="rows">
      ${rows.map(
        ({ name, classname }) => html`
          <li>
            <div class="what"><b>${isolated(name)}</b> <span class="hint">${isolated(classname ?? '')}</span></div>
          </li>
        `,
      )}
    </ul>
    ${cases.length > maxNamed && html`<p class="hint">${sentences.firstTests(maxNamed)}</p>`}
  `
}
