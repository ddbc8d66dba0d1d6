/** Versions, their order, and where the section of one stands in a file. */
import { expect, test } from 'vitest'
import { withSection } from './sections.ts'
import { compareVersions, tagBefore, type Version, versionOf } from './versions.ts'

test('versions stand in the order of Semantic Versioning', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    'v1.2.0',
    '1.10.0',
  ]
  const versions = ordered.map((text) => versionOf(text) as Version)
  expect([...versions].reverse().sort(compareVersions)).toEqual(versions)
  expect(['1', '1.2', '01.2.3', 'release', '1.2.3.4', '1.2.3-', ''].map(versionOf)).toEqual(Array(7).fill(null))
})

test('a range begins at the tag of the last release below its version', () => {
  const tags = ['v1.0.0', 'v1.9.0', '1.10.0', 'v2.0.0-rc1', 'v2.0.0', 'nightly'].map((name) => ({ name }))
  const before = (version: string) => tagBefore(tags, versionOf(version) as Version)?.name
  expect([before('1.10.1'), before('2.0.0'), before('v3.0.0'), before('1.0.0'), before('2.0.0-rc2')]).toEqual([
    '1.10.0',
    '1.10.0',
    'v2.0.0',
    undefined,
    '1.10.0',
  ])
})

test('a section stands above those of earlier versions, below what introduces the file, and replaces its own', () => {
  const section = (version: string) => `## ${version} (2026-01-01)\n\n- Done\n`
  const first = withSection('', '1.0.0', section('1.0.0'))
  expect(first).toBe(section('1.0.0'))
  const intro = withSection('# Changelog\n\nAll of it.\n', '1.0.0', section('1.0.0'))
  expect(intro).toBe(`# Changelog\n\nAll of it.\n\n${section('1.0.0')}`)
  const second = withSection(intro, '2.0.0', section('2.0.0'))
  expect(second).toBe(`# Changelog\n\nAll of it.\n\n${section('2.0.0')}\n${section('1.0.0')}`)
  expect(withSection(second, 'v1.5.0', section('1.5.0'))).toBe(
    `# Changelog\n\nAll of it.\n\n${section('2.0.0')}\n${section('1.5.0')}\n${section('1.0.0')}`,
  )
  expect(withSection(second, '2.0.0', '## 2.0.0 (2026-02-02)\n\n- More\n')).toBe(
    `# Changelog\n\nAll of it.\n\n## 2.0.0 (2026-02-02)\n\n- More\n\n${section('1.0.0')}`,
  )
})

test('a file keeps its line breaks and its mark of UTF-8', () => {
  const written = withSection('\ufeff## 1.0.0\r\n\r\n- Done\r\n', '1.1.0', '## 1.1.0\n\n- More\n')
  expect(written).toBe('\ufeff## 1.1.0\r\n\r\n- More\r\n\r\n## 1.0.0\r\n\r\n- Done\r\n')
  expect(withSection('# A\r\n\n## 1.0.0\n', '2.0.0', '## 2.0.0\n')).toBe('# A\r\n\n## 2.0.0\n\n## 1.0.0\n')
})
