// Command check validates the Kubernetes manifests of this repository against the types of Kubernetes, without a cluster and
// without a network. Unknown fields, wrong types and dangling references are errors. It also parses the alert rules and the queries of the
// dashboard, and compares the names of their metrics with the manual.
//
//	go -C deploy/check run . ..
//
// It is a module of its own, so that building the daemon does not download Kubernetes.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	objects, faults := read(filepath.Join(root, "kubernetes"))
	faults = append(faults, checkReferences(objects)...)
	faults = append(faults, checkMonitoring(root)...)
	if err := errors.Join(faults...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// object is a manifest and its file.
type object struct {
	file string
	runtime.Object
}

// read decodes all manifests of a folder.
func read(dir string) (objects []object, faults []error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		faults = append(faults, add(scheme))
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, []error{fmt.Errorf("no manifests in %s (%w)", dir, err)}
	}
	for _, file := range files {
		documents, err := split(file)
		faults = append(faults, err)
		for i, document := range documents {
			o, kind, err := decoder.Decode(document, nil, nil)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: manifest %d (%v): %w", file, i+1, kindOf(kind), err))
				continue
			}
			objects = append(objects, object{file, o})
		}
	}
	return objects, faults
}

func kindOf(kind *schema.GroupVersionKind) string {
	if kind == nil {
		return "of no kind"
	}
	return kind.Kind
}

// split returns the documents of a file, without those that are only comments.
func split(file string) (documents [][]byte, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return documents, fmt.Errorf("%s: %w", file, err)
		}
		if text, err := yaml.YAMLToJSONStrict(document); err != nil || !bytes.Equal(text, []byte("null")) {
			documents = append(documents, document) // invalid YAML is reported when it is decoded
		}
	}
}

// checkReferences returns an error for each reference to an object that does not exist.
func checkReferences(objects []object) (faults []error) {
	configs, faults := madeByHand(objects)
	deployments := map[string]*appsv1.Deployment{}
	for _, o := range objects {
		switch v := o.Object.(type) {
		case *corev1.ConfigMap:
			configs[v.Name] = true
		case *appsv1.Deployment:
			deployments[v.Name] = v
		}
	}
	for _, o := range objects {
		bad := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("%s: %s", o.file, fmt.Sprintf(format, args...)))
		}
		switch v := o.Object.(type) {
		case *appsv1.Deployment:
			checkDeployment(v, configs, bad)
		case *corev1.Service:
			if !selected(v.Spec.Selector, deployments) {
				bad("the service %s selects no pods", v.Name)
			}
		case *policyv1.PodDisruptionBudget:
			if v.Spec.Selector == nil || !selected(v.Spec.Selector.MatchLabels, deployments) {
				bad("the disruption budget %s selects no pods", v.Name)
			}
		case *networkingv1.NetworkPolicy:
			if !selected(v.Spec.PodSelector.MatchLabels, deployments) {
				bad("the network policy %s selects no pods", v.Name)
			}
		case *autoscalingv2.HorizontalPodAutoscaler:
			if target := v.Spec.ScaleTargetRef; target.Kind != "Deployment" || deployments[target.Name] == nil {
				bad("the autoscaler %s scales %s %s, which does not exist", v.Name, target.Kind, target.Name)
			}
		}
	}
	return faults
}

var creates = regexp.MustCompile(`kubectl create configmap (\S+)`)

// madeByHand returns the names of the config maps that comments of the manifests say how to create.
func madeByHand(objects []object) (names map[string]bool, faults []error) {
	names = map[string]bool{}
	for _, o := range objects {
		text, err := os.ReadFile(o.file)
		faults = append(faults, err)
		for _, m := range creates.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
	}
	return names, faults
}

// selected reports whether a selector matches the pods of a deployment.
func selected(selector map[string]string, deployments map[string]*appsv1.Deployment) bool {
	for _, d := range deployments {
		labels := maps.Clone(d.Spec.Template.Labels)
		maps.Copy(labels, selector)
		if len(selector) > 0 && maps.Equal(labels, d.Spec.Template.Labels) {
			return true
		}
	}
	return false
}

func checkDeployment(d *appsv1.Deployment, configs map[string]bool, bad func(string, ...any)) {
	for _, fault := range validation.IsDNS1123Label(d.Name) {
		bad("the name %q: %s", d.Name, fault)
	}
	if d.Spec.Selector == nil || !selected(d.Spec.Selector.MatchLabels, map[string]*appsv1.Deployment{"": d}) {
		bad("the deployment %s does not select its own pods", d.Name)
	}
	volumes := map[string]bool{}
	for _, v := range d.Spec.Template.Spec.Volumes {
		volumes[v.Name] = true
		if v.ConfigMap != nil && !configs[v.ConfigMap.Name] {
			bad("the volume %s is of the config map %s, which does not exist", v.Name, v.ConfigMap.Name)
		}
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				bad("the container %s mounts %s, which does not exist", c.Name, m.Name)
			}
		}
		ports := map[string]bool{}
		for _, p := range c.Ports {
			ports[p.Name] = true
		}
		for name, probe := range map[string]*corev1.Probe{"readiness": c.ReadinessProbe, "liveness": c.LivenessProbe, "startup": c.StartupProbe} {
			if probe == nil || probe.HTTPGet == nil || !ports[probe.HTTPGet.Port.StrVal] {
				bad("the container %s has no %s probe at one of its ports", c.Name, name)
			}
		}
	}
}
