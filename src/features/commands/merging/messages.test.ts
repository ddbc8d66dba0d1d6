/** Messages of merges, from templates. */
import { expect, test } from 'vitest'
import { fillTemplate, type MessageFacts } from './messages.ts'

const facts: MessageFacts = {
  ...{ source_branch: 'topic', target_branch: 'main', title: 'It', description: '', issues: '', reference: 'a/b!1', local_reference: '!1' },
  ...{ url: '', commits: [], merged_by: '', merge_request_author: '', source_project_id: 1 },
  ...{ co_authored_by: [], reviewed_by: [], approved_by: [] },
}

test('a message has a million characters at most, whatever its commits and however often it names them', () => {
  const commits = Array.from({ length: 100 }, () => 'x'.repeat(50_000))
  const message = fillTemplate('%{all_commits}\n'.repeat(35), { ...facts, commits })
  expect(message.length).toBe(1_000_000)
  expect(fillTemplate('%{all_commits}', { ...facts, commits: ['A', 'B\nc'] })).toBe('* A\n\n* B\n\nc')
})

test('names of what every object has are no placeholders', () => {
  expect(fillTemplate('%{title} %{__proto__} %{constructor}', facts)).toBe('It %{__proto__} %{constructor}')
})
