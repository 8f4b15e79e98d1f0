{{- define "tinkerbell.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "tinkerbell.labels" -}}
app.kubernetes.io/name: tinkerbell
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "tinkerbell.selector" -}}
app.kubernetes.io/name: tinkerbell
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tinkerbell.check" -}}
{{- if and (gt (int .Values.deployment.replicas) 1) (eq .Values.store.kind "sqlite") -}}
{{- fail "deployment.replicas: one server only can use store.kind=sqlite; choose kubernetes or postgres" -}}
{{- end -}}
{{- if and (eq .Values.store.kind "postgres") (not .Values.store.postgres.secretName) -}}
{{- fail "store.postgres.secretName: name the Secret with the URL of the database" -}}
{{- end -}}
{{- end }}

{{/* TINKERBELL_... of each setting in deployment.envs. */}}
{{- define "tinkerbell.envs" -}}
{{- $prefixes := dict "globals" "" "smee" "" "tootles" "TOOTLES_" "tinkServer" "TINK_SERVER_" "tinkController" "TINK_CONTROLLER_" "rufio" "RUFIO_" "secondstar" "SECONDSTAR_" -}}
{{- range $group, $settings := .Values.deployment.envs }}
{{- range $key, $value := $settings }}
{{- $name := printf "%s%s" (get $prefixes $group) (snakecase $key | upper) }}
{{- if and (eq $group "smee") (eq $key "logLevel") }}{{ $name = "SMEE_LOG_LEVEL" }}{{ end }}
- name: TINKERBELL_{{ $name }}
  value: {{ if kindIs "slice" $value }}{{ join "," $value | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
