/** The documentation of the API, for programs and for people. */
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from '../declare/openapi.ts'

/** Allows only scripts of the documentation itself; works over plain HTTP and TLS. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/** @param describe builds the document at the first request */
export function docsRoutes(server: FastifyInstance, describe: () => OpenApiDocument): void {
  let text: string | null = null
  server.get('/api/v4/openapi.json', (_, reply) => {
    text ??= JSON.stringify(describe())
    return reply.type('application/json').send(text)
  })
  let pages: Promise<FastifyInstance> | null = null
  for (const url of ['/api/docs', '/api/docs/*']) {
    server.get(url, async (request, reply) => {
      pages ??= openPages(describe())
      const { statusCode, headers, rawPayload } = await (await pages).inject({ url: request.url, headers: request.headers })
      return reply.code(statusCode).headers(headers).send(rawPayload)
    })
  }
}

/** Swagger UI in a separate server that doesn't listen: registering it at start would take 0.1 s and 8 MB. */
async function openPages(document: OpenApiDocument): Promise<FastifyInstance> {
  const [{ fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const server = fastify()
  await server.register(swagger, { mode: 'static', specification: { document: document as never } })
  await server.register(swaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: pagePolicy,
    theme: { title: 'Gitstead API', css: [{ filename: 'theme.css', content: '.topbar { display: none }' }] },
    uiConfig: { docExpansion: 'list', tryItOutEnabled: false },
  })
  return server
}
