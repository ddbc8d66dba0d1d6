/** Writes the text of a pipeline as YAML. */

export interface Job {
  stage: 'build' | 'test' | 'deploy'
  script: string[]
  /** Files that are stored as artifacts. */
  keep?: string[]
  /** Started manually. */
  manual?: boolean
}

export interface Pipeline {
  /** A sentence that describes it. */
  about: string
  image?: string
  services?: string[]
  variables?: Record<string, string>
  before?: string[]
  /** Folders that are cached for the next run. */
  cache?: string[]
  jobs: Record<string, Job>
}

const stages = ['build', 'test', 'deploy'] as const

/** It begins with a comment that it is a template, which clients expect. */
export function pipelineText({ about, image, services, variables, before, cache, jobs }: Pipeline): string {
  const used = stages.filter((stage) => Object.values(jobs).some((job) => job.stage === stage))
  const blocks = [
    `# This file is a template, to be fitted to your project.\n# ${about}`,
    image && `image: ${image}`,
    services && list('services', services),
    `stages:\n${items(used)}`,
    variables && `variables:\n${pairs(variables)}`,
    cache && `cache:\n  paths:\n${items(cache, 4)}`,
    before && list('before_script', before),
    ...Object.entries(jobs).map(([name, job]) => jobText(name, job)),
  ]
  return `${blocks.filter((block) => block !== undefined).join('\n\n')}\n`
}

function jobText(name: string, { stage, script, keep, manual }: Job): string {
  return [
    `${name}:`,
    `  stage: ${stage}`,
    ...(manual ? ['  when: manual'] : []),
    `  script:\n${items(script, 4)}`,
    ...(keep ? [`  artifacts:\n    paths:\n${items(keep, 6)}`] : []),
  ].join('\n')
}

function list(name: string, values: string[]): string {
  return `${name}:\n${items(values)}`
}

function items(values: readonly string[], indent = 2): string {
  return values.map((value) => `${' '.repeat(indent)}- ${scalar(value)}`).join('\n')
}

function pairs(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `  ${name}: ${scalar(value)}`)
    .join('\n')
}

/** Quoted if YAML would interpret it differently. */
function scalar(value: string): string {
  return /^[\w./$][^'"#:*&{}[\]!%@`]*$/.test(value) && !value.endsWith(' ') ? value : `'${value.replaceAll("'", "''")}'`
}
