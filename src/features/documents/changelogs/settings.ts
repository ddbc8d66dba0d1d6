/** Changelog settings of a project: a YAML file in its repository, as the current API documents it. Pure. */
import { readShortYaml } from '../../../ci/yaml/short-yaml.ts'
import { invalid } from '../../../failure.ts'
import { parseTemplate, type Template } from './template.ts'

export interface ChangelogSettings {
  date_format: string
  template: Template
  /** Titles, keyed by the values of trailers. */
  categories: Map<string, string>
}

const defaultTemplate = `{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.reference }})\\
{% if author.contributor %} by {{ author.reference }}{% end %}\\
{% if commit.trailers.MR %}\\
 ([merge request]({{ commit.trailers.MR }}))\\
{% else %}\\
{% if merge_request %}\\
 ([merge request]({{ merge_request.reference }}))\\
{% end %}\\
{% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
`

const maxCategories = 100

/** Defaults if there is no file. Throws 400 with the error in it. */
export function readChangelogSettings(yaml: string | null): ChangelogSettings {
  const given = yaml === null ? {} : mappingOf(yaml)
  const { date_format = '%Y-%m-%d', template = defaultTemplate, categories = {} } = given
  if (typeof date_format !== 'string' || typeof template !== 'string') throw invalid('date_format and template are texts')
  if (typeof categories !== 'object' || categories === null || Array.isArray(categories)) throw invalid('categories is a mapping')
  const titles = Object.entries(categories).slice(0, maxCategories)
  return { date_format, template: parseTemplate(template), categories: new Map(titles.map(([value, title]) => [value, String(title)])) }
}

function mappingOf(yaml: string): Record<string, unknown> {
  const read = readShortYaml(yaml)
  if ('error' in read) throw invalid(`The configuration can't be read: ${read.error}`)
  return read.mapping
}

const months = 'January February March April May June July August September October November December'.split(' ')

/** Formats a day by `date_format`, for example `%Y-%m-%d`. In UTC. */
export function formatDay(format: string, day: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const month = months[day.getUTCMonth()] as string
  const fields: Record<string, string> = {
    Y: String(day.getUTCFullYear()),
    y: two(day.getUTCFullYear() % 100),
    m: two(day.getUTCMonth() + 1),
    d: two(day.getUTCDate()),
    e: String(day.getUTCDate()).padStart(2),
    B: month,
    b: month.slice(0, 3),
    H: two(day.getUTCHours()),
    M: two(day.getUTCMinutes()),
    S: two(day.getUTCSeconds()),
    F: day.toISOString().slice(0, 10),
    '%': '%',
  }
  return format.replace(/%([a-zA-Z%])/g, (as, letter: string) => (Object.hasOwn(fields, letter) ? (fields[letter] as string) : as))
}
