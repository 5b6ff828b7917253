import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../../app/config.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { containerOf, hasPods, manifests, resourcesOf } from '../../support/kubernetes.ts'

interface Kustomization {
  readonly resources: readonly string[]
  readonly images: readonly { readonly name: string; readonly newTag?: string }[]
  readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[]
  readonly replicas: readonly { readonly name: string }[]
  readonly patches: readonly {
    readonly target: { readonly kind: string; readonly name: string }
    readonly patch: string
  }[]
}

const read = (file: string) => readFileSync(new URL(file, manifests), 'utf8')
const kustomization = (folder: string): Kustomization => parse(read(`${folder}kustomization.yaml`))
const [base, example] = [kustomization('base/'), kustomization('example/')]

const resources = [...resourcesOf('base/'), ...resourcesOf('example/')]
const workloads = resources.filter(hasPods)

test('the image, the Job and the commands of README.md have this version', () => {
  expect(base.images).toEqual([{ name: 'security-reporting', newTag: packageJson.version }])
  const job = `security-reporting-migrate-${packageJson.version.replaceAll('.', '-')}`
  expect(resources.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name)).toEqual([job])
  expect(read('README.md')).toContain(`job/${job}\n`)
  for (const resource of workloads) expect(containerOf(resource).image).toBe('security-reporting')
})

test('the overlay names resources, images and fields of the base, and variables that the programs read', () => {
  for (const folder of ['base/', 'example/'] as const) {
    for (const file of kustomization(folder).resources) expect(existsSync(new URL(folder + file, manifests))).toBe(true)
  }
  for (const { name } of example.images) expect(base.images.map((image) => image.name)).toContain(name)
  const names = resources.map(({ metadata }) => metadata.name)
  for (const { name } of example.replicas) expect(names).toContain(name)
  for (const { target, patch } of example.patches) {
    const matching = resources.filter(
      ({ kind, metadata }) => kind === target.kind && new RegExp(`^${target.name}$`).test(metadata.name),
    )
    expect(matching, target.name).not.toEqual([])
    for (const { op, path } of parse(patch) as { op: string; path: string }[]) {
      for (const resource of matching) {
        const keys = path
          .split('/')
          .slice(1)
          .map((key) => key.replaceAll('~1', '/'))
        const parent = keys
          .slice(0, -1)
          .reduce((value, key) => value?.[key] as never, resource as unknown as Record<string, unknown>)
        expect(parent, path).toBeTypeOf('object')
        if (op === 'replace') expect(parent, path).toHaveProperty([keys.at(-1) as string])
      }
    }
  }
  const literals = example.configMapGenerator.flatMap(({ literals }) => literals.map((literal) => literal.split('=')))
  const set = Object.fromEntries(literals)
  expect(readConfig(set)).toMatchObject({ ...set, CORS_ORIGINS: set.CORS_ORIGINS.split(',') })
})

test('secrets and ConfigMaps are those that README.md and the overlay make', () => {
  const [, secret] = /create secret generic (\S+)/.exec(read('README.md')) ?? []
  const keys = [...read('README.md').matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => key)
  const references = workloads
    .flatMap((resource) => containerOf(resource).env ?? [])
    .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
  expect(new Set(references.map(({ name }) => name))).toEqual(new Set([secret]))
  expect(new Set(references.map(({ key }) => key))).toEqual(new Set(keys))
  const generated = example.configMapGenerator.map(({ name }) => name)
  for (const resource of workloads) {
    for (const { configMapRef } of containerOf(resource).envFrom ?? []) expect(generated).toContain(configMapRef?.name)
  }
})

test('the Ingress has a Service and a port for each host, TLS for all, and COLLECTOR_URL’s', () => {
  const { spec } = resources.find(({ kind }) => kind === 'Ingress') as unknown as {
    readonly spec: {
      readonly tls: readonly { readonly hosts: readonly string[] }[]
      readonly rules: readonly {
        readonly host: string
        readonly http: {
          readonly paths: readonly {
            readonly backend: { readonly service: { name: string; port: { name: string } } }
          }[]
        }
      }[]
    }
  }
  const services = resources.filter(({ kind }) => kind === 'Service')
  for (const { http } of spec.rules) {
    for (const { backend } of http.paths) {
      const service = services.find(({ metadata }) => metadata.name === backend.service.name)
      expect(service?.spec.ports?.map(({ name }) => name)).toContain(backend.service.port.name)
    }
  }
  const hosts = spec.rules.map(({ host }) => host)
  expect(spec.tls.flatMap(({ hosts }) => hosts)).toEqual(hosts)
  const collector = spec.rules.find(({ http }) => /collector/.test(http.paths[0]?.backend.service.name ?? ''))
  expect(example.configMapGenerator[0]?.literals).toContain(`COLLECTOR_URL=https://${collector?.host}`)
})
