/** The test reports of a pipeline: a suite for each job, failures first. */

import { jobReaders, jobsOfPipeline } from '../../../features/ci/overviews/overviews.ts'
import { countsOf, type TestSuite, testSuitesOf } from '../../../features/ci/test-reports/test-reports.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { within } from '../../../http/declare/within.ts'
import { page } from '../../frame/declaration.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { statusBadge } from '../../project/status-badge.ts'
import { mayRunOn, pipelineInPath } from '../seen.ts'
import { framed } from './pipeline-view.ts'

const maxFailed = 200
const maxText_chars = 4_000

export const testReportPages = [
  page('GET /:project/pipelines/:pipeline_id/test_report', {
    access: within(jobReaders, pipelineInPath),
    async show(seen) {
      const { app, pipeline } = seen
      const [jobs, suites, mayRun] = await Promise.all([
        jobsOfPipeline(app.db, pipeline.id, { retried: false }),
        testSuitesOf(app, pipeline),
        mayRunOn(app, seen, pipeline),
      ])
      const none = emptyState(t`No job has left a test report. Jobs do so by artifacts:reports:junit.`)
      return framed(seen, { tab: 'tests', jobs, mayRun }, suites.length === 0 ? none : html`${suites.map(suiteOf)}`)
    },
  }),
]

function suiteOf({ name, cases, error }: TestSuite): Html {
  const { total_count, failed_count, error_count, skipped_count, total_time } = countsOf(cases)
  const broken = cases.filter(({ status }) => status === 'failed' || status === 'error')
  return html`
    <h2>${isolated(name)} ${statusBadge(broken.length > 0 || error !== null ? 'failed' : 'success')}</h2>
    <p class="hint">
      ${count(total_count, 'test')}, ${failed_count + error_count} failed, ${skipped_count} skipped,
      ${total_time.toFixed(2)} s
    </p>
    ${error !== null && html`<p class="problems">${error}</p>`}
    ${
      broken.length > 0 &&
      html`
        <ul class="rows">
          ${broken.slice(0, maxFailed).map(
            (test) => html`
              <li>
                <div class="what">
                  <b>${isolated(test.name)}</b>
                  <p>${isolated(test.classname ?? '')}</p>
                  ${
                    test.system_output &&
                    html`
                      <details>
                        <summary>Output</summary>
                        <pre class="message">${String(test.system_output).slice(0, maxText_chars)}</pre>
                      </details>
                    `
                  }
                </div>
                <div class="facts">${test.execution_time.toFixed(2)} s</div>
              </li>
            `,
          )}
        </ul>
      `
    }
  `
}
