/** Which jobs the processes of sandboxes are given (`src/sandbox`), whoever started them. */
import { Serializer } from 'node:v8'
import { onTestFinished, vi } from 'vitest'

/** The jobs that are sent until the test ends: messages to processes are serialized by V8, each by one call. */
export function watchSandboxJobs(): () => unknown[] {
  const serialized = vi.spyOn(Serializer.prototype, 'writeValue')
  onTestFinished(() => serialized.mockRestore())
  const isMessage = (value: unknown): value is { job: unknown } => typeof value === 'object' && value !== null && 'job' in value
  return () =>
    serialized.mock.calls
      .map(([value]: unknown[]) => value)
      .filter(isMessage)
      .map(({ job }) => job)
}
