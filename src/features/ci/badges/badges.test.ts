/** Badges as READMEs show them. */
import { expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { builtProject, runNamed } from '../../../../test/support/fixtures/built-pipelines.ts'

test('a badge tells the status of a branch, and its coverage, to those who can see the jobs', async () => {
  const { forge, at, pipeline_id } = await builtProject('unit: {script: [x]}')
  const { body } = await forge.as(forge.root).put(at, { visibility: 'public' })
  const badge = async (path: string) => {
    const { status, text } = await browserOf(forge.server).get(`/${body.path_with_namespace}/badges/${path}`)
    return `${status} ${/<title>(.*)<\/title>/.exec(text)?.[1]}`
  }

  expect(await badge('topic/pipeline.svg')).toBe('200 pipeline: pending')
  expect(await badge('topic/coverage.svg')).toBe('200 coverage: unknown')
  await runNamed(forge.app.db, pipeline_id, 'unit')
  expect(await badge('topic/pipeline.svg')).toBe('200 pipeline: passed')
  expect(await badge('topic/build.svg')).toBe('200 pipeline: passed')
  expect(await badge('topic/coverage.svg')).toBe('200 coverage: 50.00%')
  expect(await badge('topic/coverage.svg?job=unit')).toBe('200 coverage: 50.00%')
  expect(await badge('topic/coverage.svg?job=other')).toBe('200 coverage: unknown')
  expect(await badge('gone/pipeline.svg')).toBe('200 pipeline: unknown')
  expect(await badge('topic/strange.svg')).toMatch(/^404/)
  await forge.as(forge.root).put(at, { public_jobs: false })
  expect(await badge('topic/pipeline.svg')).toMatch(/^(302|303|404)/)
})
