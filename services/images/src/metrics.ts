import type { MetricSet } from '@tinkerbell/platform-metrics';

export type ImagesMetrics = ReturnType<typeof createImagesMetrics>;

/** The metrics of a directory of images, by the prefix of its paths. */
export function createImagesMetrics(set: MetricSet) {
  return {
    requests: set.counter('images_requests_total', 'requests for image files', ['prefix']),
    notFound: set.counter('images_not_found_total', 'requests for image files that do not exist', ['prefix']),
    notModified: set.counter(
      'images_not_modified_total',
      'requests for image files that the client already has',
      ['prefix'],
    ),
    unavailable: set.counter(
      'images_unavailable_total',
      'requests for image files while their directory could not be read',
      ['prefix'],
    ),
    sentBytes: set.counter('images_sent_bytes_total', 'bytes of image files sent', ['prefix']),
  };
}

/** The counters of one prefix, resolved once, with zeros before the first request. */
export function countsOf(metrics: ImagesMetrics, prefix: string) {
  return {
    requests: metrics.requests.with({ prefix }),
    notFound: metrics.notFound.with({ prefix }),
    notModified: metrics.notModified.with({ prefix }),
    unavailable: metrics.unavailable.with({ prefix }),
    sentBytes: metrics.sentBytes.with({ prefix }),
  };
}
