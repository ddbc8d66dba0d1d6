/** Pictures of other hosts that stand in texts: the address of each is signed, so that nobody else loads things by this server. */
import { readRemotePicture } from '../../features/instance/remote-pictures/remote-pictures.ts'
import { anyone } from '../../http/declare/rules.ts'
import { page } from '../frame/declaration.ts'

export const picturePages = [
  page('GET /-/pictures/:signature/:encoded', {
    access: anyone(),
    async show({ app, params }) {
      const { type, bytes } = await readRemotePicture(app, params.signature, params.encoded)
      const headers = {
        type,
        'cache-control': 'private, max-age=86400',
        'content-disposition': 'inline',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      }
      return { bytes: { size: bytes.length, describe: () => headers, open: () => bytes } }
    },
  }),
]
