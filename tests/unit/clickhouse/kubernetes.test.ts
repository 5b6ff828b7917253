import { expect, test } from 'vitest'
import { readConfig } from '../../../app/config.ts'
import { readImageConfig } from '../../support/dockerfile.ts'
import {
  containerOf,
  hasPods,
  podOf,
  type Resource,
  resourcesOf,
  typeErrors,
  validateResource,
} from '../../support/kubernetes.ts'

const titled = (resource: Resource) => ({ title: `${resource.kind} ${resource.metadata.name}`, resource })
const resources = [...resourcesOf('base/'), ...resourcesOf('example/')]
const workloads = resources.filter(hasPods)

const isSchemaError = (resource: Resource) => {
  try {
    validateResource(resource)
    return ''
  } catch (error) {
    return String(error)
  }
}

test.each(resources.map(titled))('$title follows Kubernetes’ schema', ({ resource }) => {
  expect(isSchemaError(resource)).toBe('')
})

test('no resource has an unknown field', () => {
  expect(typeErrors(resources)).toBe('')
  const misspelt = structuredClone(workloads[0]) as unknown as { spec: Record<string, unknown> }
  misspelt.spec.replica = 3
  expect(typeErrors([misspelt as unknown as Resource])).toMatch(/replica.* does not exist/)
})

test.each(workloads.map(titled))(
  '$title sets variables that the programs read, and gets none of Services',
  ({ resource }) => {
    const environment = Object.fromEntries((containerOf(resource).env ?? []).map(({ name, value }) => [name, value]))
    const metricsPorts = { METRICS_PORT: '1', COLLECTOR_METRICS_PORT: '1', WORKER_METRICS_PORT: '1' }
    const known = { ...readConfig({}), ...readConfig(metricsPorts) }
    for (const name of Object.keys(environment)) {
      expect([
        ...Object.keys(known),
        'CLICKHOUSE_URL',
        'CLICKHOUSE_CLUSTER',
        'REDIS_URL',
        'SECRETS_KEY',
        'SMTP_URL',
      ]).toContain(name)
    }
    const { COLLECTOR_PORT, PORT, ...ports } = readConfig({ ...readImageConfig().env, ...environment })
    const declared = containerOf(resource).ports?.map(({ name, containerPort }) => `${name} ${containerPort}`) ?? []
    const metrics = ports.METRICS_PORT ?? ports.COLLECTOR_METRICS_PORT ?? ports.WORKER_METRICS_PORT
    const http = [...(ports.METRICS_PORT ? [PORT] : []), ...(ports.COLLECTOR_METRICS_PORT ? [COLLECTOR_PORT] : [])]
    const served = [...http.map((port) => `http ${port}`), `metrics ${metrics}`]
    expect(declared).toEqual(resource.kind === 'Job' ? [] : served)
    expect(podOf(resource)?.enableServiceLinks).toBe(false)
  },
)

test.each(workloads.filter((resource) => containerOf(resource).readinessProbe).map(titled))(
  '$title drains for longer than Kubernetes takes to see that it is not ready, and has time to end',
  ({ resource }) => {
    const drainSeconds = Number(readImageConfig().env.DRAIN_SECONDS)
    const { periodSeconds = 10, failureThreshold = 3, timeoutSeconds = 1 } = containerOf(resource).readinessProbe ?? {}
    expect(drainSeconds).toBeGreaterThan(periodSeconds * failureThreshold + timeoutSeconds)
    expect(podOf(resource)?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds + 10 + 10)
  },
)

test('what selects pods selects those of one workload, or of all, by ports that they have', () => {
  const selecting = resources.filter(({ kind }) => ['Service', 'PodDisruptionBudget', 'NetworkPolicy'].includes(kind))
  expect(selecting).toHaveLength(8)
  for (const { kind, metadata, spec } of selecting) {
    const { podSelector = spec.selector, ingress = [] } = spec as unknown as {
      readonly podSelector?: { readonly matchLabels: Record<string, string> }
      readonly ingress?: readonly { readonly ports: readonly { readonly port: string }[] }[]
    }
    const labels = podSelector.matchLabels ?? (podSelector as Record<string, string>)
    const found = workloads.filter(({ spec }) =>
      Object.entries(labels).every(([label, value]) => spec.template.metadata?.labels?.[label] === value),
    )
    expect(found, `${kind} ${metadata.name}`).toHaveLength(
      metadata.name === 'security-reporting' ? workloads.length : 1,
    )
    const named = [
      ...(spec.ports ?? []).map(({ targetPort }) => targetPort),
      ...ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
    ]
    const ports = containerOf(found[0] as Resource).ports?.map(({ name }) => name)
    for (const port of named) expect(ports).toContain(port)
  }
})

test('every program has the servers and whether they are a cluster from one Secret', () => {
  for (const resource of workloads) {
    const { env = [] } = containerOf(resource)
    const keyOf = (name: string) => env.find((variable) => variable.name === name)?.valueFrom?.secretKeyRef
    expect(keyOf('CLICKHOUSE_URL')?.name, resource.metadata.name).toBe('security-reporting')
    expect(keyOf('CLICKHOUSE_CLUSTER'), resource.metadata.name).toEqual({
      name: 'security-reporting',
      key: 'cluster',
      optional: true,
    })
  }
})
