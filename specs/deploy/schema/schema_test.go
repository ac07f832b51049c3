// Package schema checks the manifests of deploy with the types of Kubernetes and
// the loader of Docker Compose. It is a separate module, so that the service
// does not depend on them.
package schema

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	deploy = "../../../deploy"
	// drain is the longest graceful stop of a node in seconds, see
	// cmd/watchpost/service.go.
	drain = 60
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// kinds are the types of the manifests.
var kinds = map[string]func() any{
	"apps/v1 StatefulSet":                func() any { return &appsv1.StatefulSet{} },
	"v1 Service":                         func() any { return &corev1.Service{} },
	"v1 ServiceAccount":                  func() any { return &corev1.ServiceAccount{} },
	"policy/v1 PodDisruptionBudget":      func() any { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return &networkingv1.NetworkPolicy{} },
}

// manifests returns the objects of the kustomization, decoded strictly: an
// unknown field or a wrong type is an error.
func manifests(t *testing.T) (all []any) {
	t.Helper()
	folder := filepath.Join(deploy, "kubernetes")
	var list struct {
		APIVersion, Kind, Namespace string
		Resources                   []string
		Images                      []struct{ Name, NewTag string }
	}
	raw, err := os.ReadFile(filepath.Join(folder, "kustomization.yaml"))
	must(t, err)
	must(t, yaml.UnmarshalStrict(raw, &list))
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	must(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		if name == "kustomization.yaml" {
			continue
		}
		if !slices.Contains(list.Resources, name) {
			t.Errorf("kustomization.yaml does not list %s", name)
		}
		raw, err := os.ReadFile(file)
		must(t, err)
		for document := range bytes.SplitSeq(raw, []byte("\n---\n")) {
			var head struct{ APIVersion, Kind string }
			must(t, yaml.Unmarshal(document, &head))
			object, known := kinds[head.APIVersion+" "+head.Kind]
			if !known {
				t.Fatalf("%s: unknown kind %s %s", name, head.APIVersion, head.Kind)
			}
			decoded := object()
			if err := yaml.UnmarshalStrict(document, decoded); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			all = append(all, decoded)
		}
	}
	if len(list.Resources) != len(files)-1 {
		t.Errorf("kustomization.yaml lists %d files of %d", len(list.Resources), len(files)-1)
	}
	return all
}

// TestKustomize builds the kustomization as kubectl apply -k does: every object is in its
// namespace, and still one of its kind.
func TestKustomize(t *testing.T) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(deploy, "kubernetes"))
	must(t, err)
	if built.Size() != len(manifests(t)) {
		t.Errorf("%d objects, want %d", built.Size(), len(manifests(t)))
	}
	for _, object := range built.Resources() {
		raw, err := object.AsYAML()
		must(t, err)
		gvk := object.GetGvk()
		decoded := kinds[strings.TrimPrefix(gvk.ApiVersion()+" "+gvk.Kind, "/")]()
		must(t, yaml.UnmarshalStrict(raw, decoded))
		if object.GetNamespace() != "watchpost" {
			t.Errorf("%s %s is in the namespace %q", gvk.Kind, object.GetName(), object.GetNamespace())
		}
		if set, ok := decoded.(*appsv1.StatefulSet); ok && set.Spec.Template.Spec.Containers[0].Image != "watchpost:latest" {
			t.Errorf("image %s", set.Spec.Template.Spec.Containers[0].Image)
		}
	}
}

// find returns the only object of a type with a name.
func find[T any](t *testing.T, all []any, is func(T) bool) (found T) {
	t.Helper()
	n := 0
	for _, object := range all {
		if o, ok := object.(T); ok && is(o) {
			found = o
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d objects of type %T", n, found)
	}
	return found
}

// TestKubernetes checks the manifests, and that their names fit each other.
func TestKubernetes(t *testing.T) {
	all := manifests(t)
	set := find(t, all, func(s *appsv1.StatefulSet) bool { return true })
	pod := set.Spec.Template.Spec
	container := pod.Containers[0]
	labels := set.Spec.Template.Labels
	if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		t.Error("after a loss of all nodes, the first would have to carry all sessions before the second starts")
	}
	for name, selector := range map[string]map[string]string{
		"StatefulSet":         set.Spec.Selector.MatchLabels,
		"PodDisruptionBudget": find(t, all, func(*policyv1.PodDisruptionBudget) bool { return true }).Spec.Selector.MatchLabels,
		"NetworkPolicy":       find(t, all, func(*networkingv1.NetworkPolicy) bool { return true }).Spec.PodSelector.MatchLabels,
		"Service":             find(t, all, func(s *corev1.Service) bool { return s.Name == "watchpost" }).Spec.Selector,
		"headless Service":    find(t, all, func(s *corev1.Service) bool { return s.Name == set.Spec.ServiceName }).Spec.Selector,
	} {
		for key, value := range selector {
			if labels[key] != value {
				t.Errorf("%s selects %s=%s, the pods have %q", name, key, value, labels[key])
			}
		}
	}
	find(t, all, func(a *corev1.ServiceAccount) bool { return a.Name == pod.ServiceAccountName })

	ports := map[string]int32{}
	for _, p := range container.Ports {
		ports[p.Name] = p.ContainerPort
		if bad := validation.IsValidPortName(p.Name); len(bad) > 0 {
			t.Error(bad)
		}
	}
	for name, probe := range map[string]*corev1.Probe{"startup": container.StartupProbe, "liveness": container.LivenessProbe, "readiness": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || ports[probe.HTTPGet.Port.String()] == 0 {
			t.Errorf("the %s probe names no port of the container", name)
		}
	}
	if container.ReadinessProbe.HTTPGet.Path != "/readyz" || container.LivenessProbe.HTTPGet.Path != "/healthz" {
		t.Error("wrong paths of probes")
	}
	if grace := *pod.TerminationGracePeriodSeconds; grace < drain {
		t.Errorf("the grace period of %d s is shorter than the longest drain, %d s", grace, drain)
	}
	secure := container.SecurityContext
	if !*secure.ReadOnlyRootFilesystem || *secure.AllowPrivilegeEscalation || !*pod.SecurityContext.RunAsNonRoot || secure.Capabilities.Drop[0] != "ALL" {
		t.Error("the container has more rights than it needs")
	}
	mounted := map[string]bool{}
	for _, v := range pod.Volumes {
		mounted[v.Name] = true
	}
	for _, m := range container.VolumeMounts {
		if !mounted[m.Name] {
			t.Errorf("no volume %s", m.Name)
		}
	}
}

// TestCompose loads the compose files as docker compose config does.
func TestCompose(t *testing.T) {
	for file, nodes := range map[string]int{"compose.yaml": 1, "compose.cluster.yaml": 3} {
		t.Run(file, func(t *testing.T) {
			options, err := cli.NewProjectOptions([]string{filepath.Join(deploy, file)}, cli.WithName("watchpost"))
			must(t, err)
			project, err := options.LoadProject(context.Background())
			must(t, err)
			found := 0
			for name, s := range project.Services {
				if !strings.HasPrefix(name, "watchpost") {
					continue
				}
				found++
				if !s.ReadOnly || len(s.CapDrop) != 1 || s.CapDrop[0] != "ALL" {
					t.Errorf("%s has more rights than it needs", name)
				}
				if s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) < drain*time.Second {
					t.Errorf("%s has no time to drain", name)
				}
			}
			if found != nodes {
				t.Errorf("%d nodes, want %d", found, nodes)
			}
		})
	}
}
