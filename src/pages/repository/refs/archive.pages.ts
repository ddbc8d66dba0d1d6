/** Archives at the URLs of version 11.3 and earlier: `/P/repository/:ref/archive.zip`, `/P/repository/archive.tar.gz?ref=`. */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { archive } from '../../../features/repository/contents/contents.ts'
import { project } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'

const address = /^(?:(.+)\/)?archive(?:\.([a-z0-9.]+))?$/

export const archivePage = page('GET /:project/repository/*', {
  access: project('code'),
  query: { ref: Type.Optional(Type.String()) },
  async show({ project, repo, params, sent }) {
    const found = address.exec(params['*'])
    if (!found) throw notFound('Page')
    const [, ref = sent.ref, format = 'tar.gz'] = found
    return { bytes: await archive(repo, project, ref, format) }
  },
})
