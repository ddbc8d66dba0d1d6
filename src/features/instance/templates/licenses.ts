/** Templates for licences, with their conditions and permissions. */
import { apache } from './apache.ts'
import { bsd2, bsd3, isc, mit, unlicense, zeroBsd } from './license-texts.ts'

export interface License {
  key: string
  name: string
  popular: boolean
  html_url: string
  source_url: string
  description: string
  conditions: string[]
  permissions: string[]
  limitations: string[]
  content: string
}

const use = ['commercial-use', 'modifications', 'distribution', 'private-use']
const notice = ['include-copyright']
const noPromise = ['liability', 'warranty']

const short = { popular: false, conditions: notice, permissions: use, limitations: noPromise }

/** By key. */
export const licenses: License[] = [
  {
    ...short,
    key: '0bsd',
    name: 'BSD Zero Clause License',
    html_url: 'https://spdx.org/licenses/0BSD.html',
    source_url: 'https://opensource.org/licenses/0BSD',
    description: 'Everything is allowed and nothing asked for, not even that the notice is kept.',
    conditions: [],
    content: zeroBsd,
  },
  {
    ...short,
    key: 'apache-2.0',
    name: 'Apache License 2.0',
    popular: true,
    html_url: 'https://spdx.org/licenses/Apache-2.0.html',
    source_url: 'https://www.apache.org/licenses/LICENSE-2.0.html',
    description: 'Allows everything while notices are kept and changes are named, and grants the patents of those who contribute.',
    conditions: ['include-copyright', 'document-changes'],
    permissions: ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use'],
    limitations: ['trademark-use', ...noPromise],
    content: apache,
  },
  {
    ...short,
    key: 'bsd-2-clause',
    name: 'BSD 2-Clause "Simplified" License',
    html_url: 'https://spdx.org/licenses/BSD-2-Clause.html',
    source_url: 'https://opensource.org/licenses/BSD-2-Clause',
    description: 'Allows everything while the notice is kept, in source and in binary form.',
    content: bsd2,
  },
  {
    ...short,
    key: 'bsd-3-clause',
    name: 'BSD 3-Clause "New" or "Revised" License',
    html_url: 'https://spdx.org/licenses/BSD-3-Clause.html',
    source_url: 'https://opensource.org/licenses/BSD-3-Clause',
    description: 'As with two clauses, and nobody may advertise with the names of those who made it.',
    content: bsd3,
  },
  {
    ...short,
    key: 'isc',
    name: 'ISC License',
    html_url: 'https://spdx.org/licenses/ISC.html',
    source_url: 'https://opensource.org/licenses/ISC',
    description: 'Allows everything while the notice is kept, in few words.',
    content: isc,
  },
  {
    ...short,
    key: 'mit',
    name: 'MIT License',
    popular: true,
    html_url: 'https://spdx.org/licenses/MIT.html',
    source_url: 'https://opensource.org/licenses/MIT',
    description: 'Allows everything while the notice is kept. Short, and known everywhere.',
    content: mit,
  },
  {
    ...short,
    key: 'unlicense',
    name: 'The Unlicense',
    html_url: 'https://spdx.org/licenses/Unlicense.html',
    source_url: 'https://unlicense.org/UNLICENSE',
    description: 'Gives the work to the public, with no condition at all.',
    conditions: [],
    content: unlicense,
  },
]

/** The text with what is known in the place of `[year]`, `[fullname]` and `[project]`, by whichever words it names them. */
export function fillIn(
  text: string,
  { year, fullname, project }: { year: string; fullname?: string | undefined; project?: string | undefined },
) {
  return text
    .replace(/\[(year|yyyy)\]/g, () => year)
    .replace(/\[(fullname|name of copyright owner)\]/g, (place) => fullname || place)
    .replace(/\[project\]/g, (place) => project || place)
}
