export function bundleExplorer(): Promise<Readonly<Record<string, string>>>
