const names =
  'accelerometer ambient-light-sensor aria-notify attribution-reporting autoplay battery bluetooth browsing-topics camera captured-surface-control clipboard-read clipboard-write compute-pressure cross-origin-isolated deferred-fetch deferred-fetch-minimal digital-credentials-create digital-credentials-get display-capture document-domain encrypted-media fullscreen gamepad geolocation gyroscope hid identity-credentials-get idle-detection interest-cohort join-ad-interest-group keyboard-map language-detector language-model local-fonts local-network local-network-access loopback-network magnetometer media-playback-while-not-visible microphone midi on-device-speech-recognition otp-credentials payment picture-in-picture private-aggregation private-state-token-issuance private-state-token-redemption publickey-credentials-create publickey-credentials-get run-ad-auction screen-wake-lock serial shared-storage speaker-selection storage-access summarizer sync-xhr translator unload usb web-share window-management xr-spatial-tracking'

/** Features that Chromium 156 knows on any platform or dropped since 120; client hints begin with `ch-`. */
const known = new Set(names.split(' '))

export const isFeature = (name: string): boolean => known.has(name) || name.startsWith('ch-')
