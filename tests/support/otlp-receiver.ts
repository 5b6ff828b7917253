import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it was exported; ids are hexadecimal, as in `traceparent`. */
export interface ExportedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty of a root. */
  readonly parentId: string
  readonly name: string
  /** 2 of a server, 3 of a client. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** 0 unset, 1 good, 2 error. */
  readonly status: number
  readonly resource: Readonly<Record<string, unknown>>
}

/** An OpenTelemetry collector: OTLP over HTTP, in protobuf. */
export interface OtlpReceiver {
  readonly url: string
  readonly posts: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[]
  spans(): ExportedSpan[]
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const posts: OtlpReceiver['posts'][number][] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    posts.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    spans: () => posts.flatMap(({ body }) => readSpans(body)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Message = ReadonlyMap<number, readonly (bigint | Buffer)[]>

/** Values of each field of a protobuf message: numbers, or bytes of a string or message within. */
function decode(bytes: Buffer): Message {
  const fields = new Map<number, (bigint | Buffer)[]>()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes.readUInt8(at++))
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  const readers = [varint, () => take(8).readBigUInt64LE(), () => take(Number(varint()))]
  const fixed32 = () => BigInt(take(4).readUInt32LE())
  while (at < bytes.length) {
    const tag = Number(varint())
    const read = readers[tag & 7] ?? fixed32
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()])
  }
  return fields
}

const messages = (message: Message, field: number) => (message.get(field) ?? []).map((bytes) => decode(bytes as Buffer))
const bytes = (message: Message, field: number) => (message.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer

/** AnyValue: a string, boolean, integer, double or list. */
function anyValue(message: Message): unknown {
  const [[field, [value]] = [0, []]] = [...message] as [number, [bigint | Buffer]][]
  if (Buffer.isBuffer(value)) return field === 5 ? messages(decode(value), 1).map(anyValue) : value.toString()
  if (field === 4) return new Float64Array(new BigUint64Array([value ?? 0n]).buffer)[0]
  return field === 2 ? value === 1n : Number(value)
}

const attributesOf = (message: Message, field: number) =>
  Object.fromEntries(
    messages(message, field).map((entry) => [bytes(entry, 1).toString(), anyValue(decode(bytes(entry, 2)))]),
  )

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto. */
const readSpans = (body: Buffer): ExportedSpan[] =>
  messages(decode(body), 1).flatMap((ofResource) => {
    const resource = attributesOf(decode(bytes(ofResource, 1)), 1)
    return messages(ofResource, 2)
      .flatMap((ofScope) => messages(ofScope, 2))
      .map((span) => ({
        traceId: bytes(span, 1).toString('hex'),
        spanId: bytes(span, 2).toString('hex'),
        parentId: bytes(span, 4).toString('hex'),
        name: bytes(span, 5).toString(),
        kind: Number(span.get(6)?.[0] ?? 0n),
        attributes: attributesOf(span, 9),
        status: Number(decode(bytes(span, 15)).get(3)?.[0] ?? 0n),
        resource,
      }))
  })
