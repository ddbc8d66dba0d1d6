/** Parses untrusted JUnit reports (XML) in one pass, with limits and without custom entities. Pure. */
import { Parser } from 'htmlparser2'

export type TestStatus = 'success' | 'failed' | 'skipped' | 'error'

export interface TestCase {
  status: TestStatus
  name: string
  classname: string
  file: string | null
  /** In seconds. */
  execution_time: number
  /** The failure output; null if it didn't fail. */
  system_output: string | null
}

export interface Report {
  cases: TestCase[]
  /** Why the report is ignored or incomplete. */
  error: string | null
}

/** Limits of the cases per report and of the text per case. */
export const maxCases = 50_000
const maxOutput_chars = 16 * 1024
const maxName_chars = 1_000
const maxDepth = 100

const statuses: Record<string, TestStatus> = { failure: 'failed', error: 'error', skipped: 'skipped' }

export function parseJunit(text: string): Report {
  const cases: TestCase[] = []
  const path: string[] = []
  let current: TestCase | null = null
  let outcome: { status: TestStatus; text: string } | null = null
  let error: string | null = null
  let seenSuite = false
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name)
        if (path.length > maxDepth) error ??= 'JUnit XML is nested too deeply'
        if (name === 'testsuite' || name === 'testsuites') seenSuite = true
        if (name === 'testcase') current = caseOf(attributes)
        const status = statuses[name]
        if (current && status && path.at(-2) === 'testcase') outcome = { status, text: attributes.message ?? '' }
      },
      ontext(chunk) {
        if (outcome && outcome.text.length < maxOutput_chars) outcome.text += chunk
      },
      onclosetag(name) {
        path.pop()
        if (current && outcome && statuses[name] === outcome.status) {
          // The first of them determines the status.
          if (current.status === 'success') {
            current.status = outcome.status
            current.system_output = outcome.text.trim().slice(0, maxOutput_chars) || null
          }
          outcome = null
        }
        if (name !== 'testcase' || !current) return
        if (cases.length < maxCases) cases.push(current)
        else error ??= `JUnit XML has more than ${maxCases} test cases`
        current = null
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < text.length && error === null; at += 64 * 1024) parser.write(text.slice(at, at + 64 * 1024))
  if (error === null) parser.end()
  if (!seenSuite && error === null) error = 'JUnit XML data parsing failed'
  return { cases, error }
}

function caseOf(attributes: Record<string, string>): TestCase {
  const time = Number(attributes.time?.replaceAll(',', '') ?? 0)
  return {
    status: 'success',
    name: (attributes.name ?? '').slice(0, maxName_chars),
    classname: (attributes.classname ?? '').slice(0, maxName_chars),
    file: attributes.file?.slice(0, maxName_chars) ?? null,
    execution_time: Number.isFinite(time) && time >= 0 ? time : 0,
    system_output: null,
  }
}
